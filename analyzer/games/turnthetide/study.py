"""What `fairness` plays for Turn the Tide: whether life preservers are distributed fairly.

Besides the run that is asked for, one with the same deals in which every hand gets the same number
of preservers tells how much worse the cards are that preservers are printed on. The same pair is
played for every further table of strategies, and for every printing that is tried.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from analyzer.contracts import Rules
from analyzer.errors import UsageError
from analyzer.experiment import Experiment
from analyzer.games.turnthetide import lifesavers, suggest
from analyzer.games.turnthetide.figures import (
    FAIR_WITHIN,
    JudgedTable,
    Lifesavers,
    Measures,
    Suggestion,
)
from analyzer.games.turnthetide.suggest import MOST_HALVES, NothingToSuggest
from analyzer.kernels.random import stream_seed
from analyzer.results import ResultSet
from analyzer.statistics import wording
from analyzer.statistics.intervals import Floats
from analyzer.statistics.tables import Fairness, Summary
from analyzer.study import (
    Found,
    NotPlayed,
    Play,
    Request,
    Study,
    Table,
    Telling,
    Way,
    length,
    naming,
)
from analyzer.study.telling import number, percent, span

COUNTING_GAMES = 8192
"""Games of the slowest players: enough to know their slope to within 0.02."""
REPLAYED_GAMES = 400_000
"""Most games whose hands are played again: enough to know what a hand decides to 1% of it."""
FORGETFUL = "-forgetful"
"""Ending of the names of strategies that play like another one without its memory."""
JUDGING = 1
"""Stream of the seed on which suggested printings are judged."""


class PreserverStudy(Study):
    """What life preservers are worth, and which printing would be fairer."""

    def ways(self, rules: Rules, players: int) -> tuple[Way, ...]:
        """Without a plan, watching what is showing, and counting what is gone."""
        return Way("random"), Way("reactive"), Way("counting", most_games=COUNTING_GAMES)

    def contestants(self, rules: Rules, players: int, quick: Sequence[str]) -> Sequence[str]:
        """All but those that only show what memory is worth to others."""
        return [spec for spec in quick if not spec.endswith(FORGETFUL)]

    def about(self, name: str, experiment: Experiment, main: Experiment) -> str:
        """Says what is changed of the preservers and the deals, if that is what is changed."""
        usual = experiment.rules["preservers"] == main.rules["preservers"]
        changed = [] if usual else ["another printing"]
        kind, _, many = str(experiment.rules["allocation"]).partition(":")
        if kind == "flat" and main.rules["allocation"] != experiment.rules["allocation"]:
            one = many == "1"
            each = f"{naming.number_word(int(many))} equal preserver{'' if one else 's'}"
            changed.append(f"{each} each")
        if experiment.detail == "replay":
            changed.append("hands played again")
        if experiment.seed != main.seed:
            changed.append("fresh deals")
        if not changed:
            return super().about(name, experiment, main)
        same = experiment.strategies == main.strategies
        who = "the same" if same else naming.players_at(experiment.strategies)
        return f"{who} with {wording.listed(changed)}"

    def check(self, request: Request) -> None:
        """Refuse to suggest a printing where the print does not matter.

        Raises
        ------
        UsageError
            With the way out.
        """
        allocation = request.rules["allocation"]
        if request.suggest and allocation != "printed":
            raise UsageError(
                f"--suggest looks for a fairer printing, but allocation = {allocation} gives every "
                "hand the same number; leave out one of the two."
            )
        halves = sum(request.rules["preservers"])
        most = MOST_HALVES * len(request.rules["preservers"])
        if request.suggest and halves > most:
            raise UsageError(
                f"--suggest hands out the {halves} half preservers of these rules anew, at most "
                f"{MOST_HALVES} to a card, which makes {most}; print fewer or leave it out."
            )

    def decisive(self, run: ResultSet) -> Sequence[tuple[str, Floats]]:
        """What a preserver more on the hand is worth."""
        return (("score per preserver", lifesavers.slopes(run)),)

    def conclude(self, request: Request, play: Play) -> Fairness:
        """Judge the printing and, if asked to, look for a fairer one."""
        found = super().conclude(request, play)
        judged: Lifesavers = found.figures["lifesavers"]
        if not request.suggest:
            return found
        # Too few games to know what cards are worth: the answer stands without a suggestion.
        with contextlib.suppress(NotPlayed, NothingToSuggest):
            judged = replace(judged, suggestion=_suggest(request, found, play))
        return replace(found, figures={"lifesavers": judged})

    def judge(self, request: Request, found: Found, run: ResultSet, name: str, play: Play) -> Found:
        """Compare with the same games without differences in preservers, and say what follows."""
        flat = _flat("flat" if name == "main" else f"{name}-flat", run, play)
        margin = FAIR_WITHIN if request.margin is None else request.margin
        judged = lifesavers.analyze(run, flat, margin, _replay(f"{name}-replay", run, play))
        return replace(
            found,
            figures={"lifesavers": judged},
            verdict=judged.verdict,
            answer=lifesavers.answer(found.summary, judged),
        )

    def over_tables(self, request: Request, found: Fairness) -> tuple[str, str]:
        """Whether preservers are fair whoever plays, and what one more is worth to whom."""
        return lifesavers.over_tables(found)

    def replicates(self, run: ResultSet) -> Mapping[str, Floats]:
        """What one more preserver is worth, and what the best hands win more than the worst."""
        return lifesavers.replicates(run)

    @property
    def further(self) -> tuple[str, ...]:
        """What is known from hands that are played again."""
        return (lifesavers.HAND_SD,)

    def play_further(self, figure: str, run: ResultSet, name: str, play: Play) -> Floats:
        """By how much the hand dealt moves a round's score."""
        return lifesavers.hand_sds(play(f"{name}-replay", _replayed(run)))

    def margins(self) -> Mapping[str, float]:
        """Slopes as in the verdict of `fairness`."""
        return {"slope": FAIR_WITHIN, "slope_within": FAIR_WITHIN}

    def tell(self, request: Request, result: Summary | Fairness) -> Telling:
        """What preservers are worth, and what is suggested."""
        if not isinstance(result, Fairness):
            return Telling()
        found: Lifesavers = result.figures["lifesavers"]
        tables: list[Table | str] = [_worth(found)]
        if found.suggestion is not None:
            tables += _printings(found.suggestion)
        elif request.suggest:
            tables.append(
                "No other printing is suggested: these games do not tell what each card and a "
                "preserver are worth."
            )
        return Telling(tables)


def _flat(name: str, printed: ResultSet, play: Play) -> ResultSet | None:
    """The same games with the same number of preservers for every hand."""
    if printed.experiment.rules["allocation"] != "printed":
        return None
    allocation = f"flat:{lifesavers.flat_count(printed)}"
    rules: dict[str, Any] = {**printed.experiment.rules, "allocation": allocation}
    with contextlib.suppress(NotPlayed):
        return play(name, replace(printed.experiment, rules=rules, games=length(printed)))
    return None


def _replay(name: str, run: ResultSet, play: Play) -> ResultSet | None:
    """The first rounds of the same games, each played again for the sake of every hand."""
    with contextlib.suppress(NotPlayed):
        return play(name, _replayed(run))
    return None


def _replayed(run: ResultSet) -> Experiment:
    rules: dict[str, Any] = {**run.experiment.rules, "rounds": 1}
    games = min(length(run), REPLAYED_GAMES)
    return replace(run.experiment, rules=rules, games=games, detail="replay")


def _suggest(request: Request, found: Fairness, play: Play) -> Suggestion:
    """Try printings on the same chance at all tables until one stands; judge it on fresh chance."""
    printing = tuple(request.rules["preservers"])
    tables = [_Table(table.summary) for table in found.tables]
    today: list[Lifesavers] = [table.figures["lifesavers"] for table in found.tables]
    tried = 0

    def evaluate(halves: tuple[int, ...]) -> list[Lifesavers]:
        nonlocal tried
        if halves == printing:
            return today
        tried += 1
        return [
            table.play(f"suggested-{tried}-{number}", halves, request, play, replayed=False)
            for number, table in enumerate(tables, start=1)
        ]

    halves, count = suggest.settle(printing, evaluate)
    bands = suggest.to_bands(halves)
    fresh = replace(request, seed=stream_seed(request.seed, JUDGING))
    judged = []
    for place, table in enumerate(tables, start=1):
        measured: dict[tuple[int, ...], Measures] = {}
        for name, some in (("today", printing), ("suggested", halves), ("bands", bands)):
            if some not in measured:
                part = f"judged-{place}-{name}"
                measured[some] = lifesavers.measures(table.play(part, some, fresh, play))
        judged.append(
            JudgedTable(table.name, measured[printing], measured[halves], measured[bands])
        )
    margin = FAIR_WITHIN if request.margin is None else request.margin
    return suggest.conclude(printing, halves, bands, judged, count, fresh.seed, margin)


class _Table:
    """A table of strategies at which printings are tried, for as many games as it was judged by."""

    def __init__(self, summary: Summary) -> None:
        self.name = wording.table(summary.lineup)
        self._lineup = summary.lineup
        self._games = summary.games

    def play(
        self,
        name: str,
        halves: tuple[int, ...],
        request: Request,
        play: Play,
        *,
        replayed: bool = True,
    ) -> Lifesavers:
        """The figures of one printing."""
        rules = {"preservers": halves}
        run = play(
            name, request.experiment(strategies=self._lineup, rules=rules, games=self._games)
        )
        again = _replay(f"{name}-replay", run, play) if replayed else None
        return lifesavers.analyze(run, _flat(f"{name}-flat", run, play), replay=again)


def _worth(found: Lifesavers) -> Table:
    """What is known; where all hands have the same preservers, they are worth nothing to tell."""
    figures = (
        ("points a round for one more preserver", found.slope, _points),
        ("  of which the preserver itself", found.gift, _points),
        ("  of which the cards it is printed on", found.handicap, _points),
        ("part of the preserver that pays for the cards", found.compensation, _tenths),
        ("rounds won, best minus worst twentieth of hands", found.round_win_gap, _tenths),
        ("points by which the hand dealt moves a round", found.hand_sd, _points),
        ("part of a round that is due to the own hand", found.own_hand_share, _tenths),
        ("part that stays with the deal, all hands of it", found.hand_share, _tenths),
    )
    told = figures[-3:] if found.verdict == "no-variation" else figures
    rows = [(name, text(x.value), span(x, text)) for name, x, text in told if x.value is not None]
    columns = ("figure", "value", "95% interval")
    return Table(columns, rows, columns[1:])


def _printings(found: Suggestion) -> list[Table | str]:
    """A table of the measures for each table of strategies, and what follows."""
    columns = ("printing", "hand moves", "a preserver", "best - worst", "the deal", "paid for")
    told: list[Table | str] = []
    for one in found.tables_judged:
        named = (("as printed", one.before), ("suggested", one.after), ("in five bands", one.bands))
        rows = [
            (
                name,
                _points(m.hand_sd.value),
                _points(m.slope.value),
                _tenths(m.round_win_gap.value),
                _tenths(m.hand_share.value),
                _tenths(m.compensation.value),
            )
            for name, m in named
        ]
        told += [f"On fresh deals, among {one.table}:", Table(columns, rows, columns[1:])]
    return [*told, found.answer]


def _points(value: float | None) -> str:
    return number(value, 3)


def _tenths(value: float | None) -> str:
    return percent(value, 1)


STUDY = PreserverStudy()
