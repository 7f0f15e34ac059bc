"""What ``fairness`` answers for Lowball: whether low numbers pay."""

from __future__ import annotations

from dataclasses import replace

from analyzer.results import ResultSet
from analyzer.statistics.tables import Fairness, Summary
from analyzer.study import Found, Play, Request, Study, Table, Telling
from analyzer.study.telling import percent, span
from lowball.figures import Naming, analyze, conclusion

__all__ = ["STUDY", "NamingStudy"]


class NamingStudy(Study):
    """What a number is worth, by how often it wins."""

    def judge(self, request: Request, found: Found, run: ResultSet, name: str, play: Play) -> Found:
        """Add the figures, the verdict and the sentence that are this game's own."""
        naming = analyze(run)
        verdict, answer = conclusion(naming, run.games)
        return replace(found, figures={"naming": naming}, verdict=verdict, answer=answer)

    def tell(self, request: Request, result: Summary | Fairness) -> Telling:
        """A row a number, for the terminal."""
        if not isinstance(result, Fairness):
            return Telling()
        naming: Naming = result.figures["naming"]
        rows = [
            (
                str(one.number),
                percent(one.named.value),
                percent(one.wins.value),
                span(one.wins, percent),
            )
            for one in naming.numbers
            if one.named.value
        ]
        columns = ("number", "named", "wins a round", "95% interval")
        return Telling(tables=[Table(columns, rows, columns)])


STUDY = NamingStudy()
