"""What `fairness` answers for Mermaid Beach: whether going first or the opening hand decides it."""

from __future__ import annotations

from dataclasses import replace

from analyzer.games.mermaidbeach.figures import Opening, TurnOrder, analyze, conclusion
from analyzer.results import ResultSet
from analyzer.statistics.tables import Fairness, Summary
from analyzer.study import Found, Play, Request, Study, Table, Telling
from analyzer.study.telling import estimate, percent, span


class MermaidStudy(Study):
    """Turn order, opening hands, the sea monster, questions and skill."""

    def judge(self, request: Request, found: Found, run: ResultSet, name: str, play: Play) -> Found:
        """Add the figures, the verdict and the sentence that are this game's own."""
        figures = analyze(run)
        verdict, answer = conclusion(figures, run.games)
        return replace(found, figures=figures.by_name(), verdict=verdict, answer=answer)

    def tell(self, request: Request, result: Summary | Fairness) -> Telling:
        """Places in the turn order, and the cards of an opening hand."""
        if not isinstance(result, Fairness):
            return Telling()
        opening: Opening = result.figures["opening"]
        tables = [_turn_order(result.figures["turn_order"]), *_opening(opening)]
        told = f"part of who wins explained by it: {estimate(opening.explained, share=True)}"
        return Telling(tables=[*tables, told])


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
    columns = ("turn order", "win share", "95% interval", "advantage", "95% interval")
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
