"""Hypothesis strategies for Omweso: rule sets under every option, boards, positions on the way through random games."""

from __future__ import annotations

from hypothesis import strategies as st

from solver.omweso.position import OmwesoPosition
from solver.omweso.rules import Endless, OmwesoRules, Repetition, Reverse, Setup

caps = st.none() | st.integers(1, 5000)
rule_sets = st.builds(
    OmwesoRules,
    reverse=st.sampled_from(Reverse),
    reverse_fwd_reentry=st.booleans(),
    decline_capture=st.booleans(),
    first_turn_capture=st.booleans(),
    okukoneeza=st.booleans(),
    endless=st.sampled_from(Endless),
    lap_cap=caps,
    repetition=st.sampled_from(Repetition),
    round_cap=caps,
    setup=st.sampled_from(Setup),
    pit_cap=caps,
    columns=st.integers(2, 8),
)

LOW_CAPS = (1, 2, 3, 7, 40, 200)
"""Lap caps that keep the plain reference quick on boards where a cycle may take millions of laps."""


@st.composite
def boards(draw: st.DrawFn, pits: int, seeds: int) -> tuple[int, ...]:
    """One side: up to ``seeds`` seeds thrown into ``pits`` pits, from spread out to piled up."""
    width = draw(st.integers(1, pits))
    side = [0] * pits
    for pit in draw(st.lists(st.integers(0, width - 1), max_size=seeds)):
        side[pit] += 1
    turn = draw(st.integers(0, pits - 1))
    return tuple(side[turn:] + side[:turn])


@st.composite
def positions(draw: st.DrawFn, rules: st.SearchStrategy[OmwesoRules] = rule_sets) -> OmwesoPosition:
    """A position with up to 64 seeds under a rule set whose endless test is exact on small boards, else capped low."""
    chosen = draw(rules)
    seeds = draw(st.sampled_from((4, 8, 16, 32)))
    if seeds > 8:
        chosen = OmwesoRules(**{name: getattr(chosen, name) for name in chosen.__slots__ if name != "lap_cap"},
                             lap_cap=draw(st.sampled_from(LOW_CAPS)))  # fmt: skip
    side, opponent = draw(boards(chosen.pits, seeds)), draw(boards(chosen.pits, seeds))
    first = draw(st.tuples(st.booleans(), st.booleans()))
    return OmwesoPosition(side, opponent, chosen, first_turns=first, fresh=draw(st.booleans()))
