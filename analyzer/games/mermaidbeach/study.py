"""What `fairness` answers for Mermaid Beach: whether going first or the opening hand decides it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from analyzer.contracts import Rules
from analyzer.games.mermaidbeach.figures import (
    Opening,
    TurnOrder,
    analyze,
    conclusion,
    hands_told,
)
from analyzer.results import ResultSet
from analyzer.statistics import wording
from analyzer.statistics.margins import WIN_SHARE_MARGIN
from analyzer.statistics.tables import Estimate, Fairness, Summary
from analyzer.study import Found, Play, Request, Study, Table, Telling, Way
from analyzer.study.telling import estimate, percent, span

ATTENTIVE_GAMES = 32_768
"""Games of players who remember, slower than the others: enough to know shares to half a point."""


class MermaidStudy(Study):
    """Turn order, opening hands, the sea monster, questions and skill."""

    def ways(self, rules: Rules, players: int) -> tuple[Way, ...]:
        """Doing anything, going for shells, and asking with a memory."""
        return Way("random"), Way("greedy"), Way("attentive", most_games=ATTENTIVE_GAMES)

    def contestants(self, rules: Rules, players: int, quick: Sequence[str]) -> Sequence[str]:
        """All but the one that only shows what memory is worth to another."""
        return [spec for spec in quick if not spec.endswith("-forgetful")]

    def judge(self, request: Request, found: Found, run: ResultSet, name: str, play: Play) -> Found:
        """Add the figures, the verdict and the sentence that are this game's own."""
        margin = WIN_SHARE_MARGIN if request.margin is None else request.margin
        figures = analyze(run, margin)
        verdict, answer = conclusion(figures, found.verdict, found.answer, margin)
        return replace(found, figures=figures.by_name(), verdict=verdict, answer=answer)

    def over_tables(self, request: Request, found: Fairness) -> tuple[str, str]:
        """Going first and opening hands, whoever plays."""
        verdict, answer = super().over_tables(request, found)
        openings: list[Opening] = [table.figures["opening"] for table in found.tables]
        told = [o for o in openings if hands_told(o)]
        if len(told) < 2 or "best fifth" in answer:
            return verdict, answer
        best, worst = (
            sorted((getattr(o, name) for o in told), key=lambda e: e.value or 0.0)
            for name in ("best_fifth", "worst_fifth")
        )
        return verdict, (
            f"{answer} A player whose opening hand is among the best fifth wins {_span(best)} of "
            f"games, by table, one whose hand is among the worst fifth {_span(worst)}."
        )

    def tell(self, request: Request, result: Summary | Fairness) -> Telling:
        """Places in the turn order, and the cards of an opening hand."""
        if not isinstance(result, Fairness):
            return Telling()
        opening: Opening = result.figures["opening"]
        tables = [_turn_order(result.figures["turn_order"]), *_opening(opening)]
        told = [
            f"{name}: {estimate(figure, share=True)}"
            for name, figure in (
                ("win share with the best fifth of hands", opening.best_fifth),
                ("win share with the worst fifth of hands", opening.worst_fifth),
                ("part of the variance of wins told by the hand", opening.explained),
            )
        ]
        return Telling(tables=[*tables, *told])


def _span(found: Sequence[Estimate]) -> str:
    """From the lowest of some shares to the highest: ``34.1% to 40.2%``."""
    low, high = wording.percent(found[0]), wording.percent(found[-1])
    return low if low == high else f"{low} to {high}"


def _turn_order(found: TurnOrder) -> Table:
    rows = [
        (
            str(place.position),
            percent(place.win_share.value),
            span(place.win_share, percent),
            _points(place.advantage.value),
            span(place.advantage, _points),
        )
        for place in found.positions
    ]
    together = "95%, together"
    columns = ("turn order", "win share", together, "advantage", together)
    return Table(columns, rows, columns)


def _opening(found: Opening) -> list[Table]:
    rows = [
        (card.card, _points(card.worth.value), span(card.worth, _points))
        for card in sorted(found.cards, key=lambda card: -(card.worth.value or 0.0))
        if card.worth.value is not None
    ]
    columns = ("one more in the opening hand", "adds to win share", "95% interval")
    return [Table(columns, rows, columns[1:])] if rows else []


def _points(share: float | None) -> str:
    """A difference of shares in percentage points."""
    return percent(share, sign=True)


STUDY = MermaidStudy()
