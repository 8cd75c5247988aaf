"""Rule sets of two columns that differ in everything that a solver must get right."""

RULES = [
    "tournament+columns=2",
    "tournament+okukoneeza=off+columns=2",
    "comp424+columns=2",
    "tournament+endless=mover-loses+columns=2",
    "tournament+endless=illegal+reverse=mweiso+columns=2",
    "tournament+reverse-fwd-reentry=on+decline-capture=on+columns=2",
    "tournament+first-turn-capture=yes+lap-cap=2+columns=2",
]
