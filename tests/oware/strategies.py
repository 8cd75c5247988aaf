"""Hypothesis strategies shared by the tests: rule sets, boards, positions on the way through random games."""

from __future__ import annotations

from hypothesis import strategies as st

from solver.oware.position import Position
from solver.oware.rules import Cycle, GrandSlam, Rules

rule_sets = st.builds(Rules, st.sampled_from(GrandSlam), st.sampled_from(Cycle), st.integers(1, 8))
table_rule_sets = rule_sets.filter(lambda rules: rules.has_tables)


@st.composite
def games(draw: st.DrawFn, rules: st.SearchStrategy[Rules] = rule_sets, max_plies: int = 60) -> list[Position]:
    """Every position of a random game from a start with 1 to 6 seeds a pit, in order."""
    position = Position.start(draw(rules), draw(st.integers(1, 6)))
    game = [position]
    for _ in range(draw(st.integers(0, max_plies))):
        moves = position.legal_moves()
        if not moves:
            break
        position = position.play(draw(st.sampled_from(moves)))
        game.append(position)
    return game
