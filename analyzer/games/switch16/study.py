"""What is told of Switch 16 beyond what every game has: the risks, and a check without chance."""

from __future__ import annotations

import contextlib
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from analyzer.contracts import Rules
from analyzer.errors import AnalyzerError, RulesError
from analyzer.experiment import Experiment
from analyzer.games.switch16 import greed
from analyzer.games.switch16.exact.policies import PolicyTable, baseline
from analyzer.games.switch16.exact.states import SINGLE_GAME, TRAY, Setup
from analyzer.games.switch16.figures import ExactChecks, ExactFigure, Greed, Risks
from analyzer.results import ResultSet
from analyzer.specs import split
from analyzer.statistics.margins import WIN_SHARE_MARGIN
from analyzer.statistics.seats import seats_alike
from analyzer.statistics.tables import Columns, Fairness, Figures, Summary, columns
from analyzer.study import Found, NotPlayed, Play, Request, Study, Telling, Way
from analyzer.study.telling import estimates

if TYPE_CHECKING:
    from analyzer.games.switch16.exact.chain import Shares

AFFORDABLE = 2
"""Players for whom the exact shares take a blink; three take seconds, four an hour."""
STORY_GAMES = 65_536
"""Games that are watched closely, and with each other policy; more would say hardly more."""
FIELD_GAMES = 16_384
"""The same for further tables of strategies, of which only the headline speaks."""
POLICIES = {
    "risk": ("never", "to-milestone", "protected", "threshold", "greedy", "always"),
    "green": ("never", "random", "leader"),
    "block": ("hold", "deny"),
}
"""The baseline policies, spelled canonically, that one player tries in turn."""
DOES = {
    ("risk", "never"): "never throws again",
    ("risk", "to-milestone"): "throws again up to the milestone",
    ("risk", "protected"): "throws again only with a protected deck",
    ("risk", "threshold"): "throws again when it succeeds half the time or more",
    ("risk", "greedy"): "throws again while that gains cards on average",
    ("risk", "always"): "always throws again",
    ("green", "never"): "never swaps on green",
    ("green", "random"): "swaps on green with anybody",
    ("green", "leader"): "takes the leader's deck on green",
    ("block", "hold"): "keeps the disc",
    ("block", "deny"): "lays the disc on a deck about to win",
}
"""What a player with such a policy does, in words."""
BETWEEN = ("greedy", "threshold", "to-milestone", "protected")
"""Risk policies that stop in some situations and not in others."""
VARIED = re.compile(r"(field-\d+-)?(?P<family>risk|green|block)-(?P<policy>.+?)(-seat-\d+)?")
"""Names of parts in which one player has another policy."""
DEFAULTS = {"threshold": "threshold:0.5", "deny": "deny:16"}
"""Baseline policies as the solver spells them: with their numbers."""


class SwitchStudy(Study):
    """Whether throwing again pays, how games go, and a check without chance."""

    def ways(self, rules: Rules, players: int) -> tuple[Way, ...]:
        """Swapping with anybody, playing for cards, and the best of the quick combinations."""
        return Way("always/random/hold"), Way("greedy/leader/deny"), Way("always/ahead/deny")

    def contestants(self, rules: Rules, players: int, quick: Sequence[str]) -> Sequence[str]:
        """The ways of playing, and throwing again more or less often by the usual rest."""
        ways = [way.spec for way in self.ways(rules, players)]
        risks = ("never", "protected", "threshold", "chase", "always")
        return [*ways, *(f"{risk}/leader/deny" for risk in risks)]

    def about(self, name: str, experiment: Experiment, main: Experiment) -> str:
        """Says what the one player does that plays another policy."""
        part = VARIED.fullmatch(name)
        if part is not None and part["policy"] in POLICIES[part["family"]]:
            return f"one player {DOES[part['family'], part['policy']]}"
        return super().about(name, experiment, main)

    def conclude(self, request: Request, play: Play) -> Fairness:
        """Judge the turn order and whether throwing again pays, over all tables of strategies."""
        found = super().conclude(request, play)
        main: Greed | None = found.figures.get("greed")
        others = [(f.summary, f.figures["greed"]) for f in found.fields if "greed" in f.figures]
        if main is None or not others:
            return found
        verdict, answer = greed.over_tables([(found.summary, main), *others])
        main = replace(main, verdict=verdict, answer=answer, own=(main.verdict, main.answer))
        return replace(found, figures={**found.figures, "greed": main})

    def judge(self, request: Request, found: Found, run: ResultSet, name: str, play: Play) -> Found:
        """Let one player of the table try other policies; of a further one, only risk policies."""
        table = replace(request, strategies=run.experiment.strategies)
        main = name == "main"
        families = tuple(POLICIES) if main else ("risk",)
        prefix, most = ("", STORY_GAMES) if main else (f"{name}-", FIELD_GAMES)
        greedy = _greed(table, found.summary, play, families, prefix, most)
        return replace(
            found,
            summary=_enriched(table, found.summary) if main else found.summary,
            figures={} if greedy is None else {"greed": greedy},
        )

    def enrich(self, request: Request, summary: Summary, play: Play) -> Summary:
        """Add the check and the risks; what takes further games only where it will be told."""
        enriched = _enriched(request, summary)
        greedy = _greed(request, summary, play) if play.thorough else None
        aside = {} if greedy is None else {"greed": greedy}
        return replace(enriched, aside={**enriched.aside, **aside})

    def tell(self, request: Request, result: Summary | Fairness) -> Telling:
        """How games go, the check, and whether throwing again pays."""
        summary = result.summary if isinstance(result, Fairness) else result
        found: Greed | None = {**summary.aside, **_figures(result)}.get("greed")
        exact: ExactChecks | None = summary.figures.get("exact")
        checks = [
            f"Check of {f.figure}: exact {100 * f.exact:.4f}%, simulated {100 * f.estimate:.4f}%, "
            f"{f.z:+.1f} standard errors apart."
            for f in (() if exact is None else exact.checks)
        ]
        checks += _unsolved(request)
        course: list[str] = []
        if found is not None and isinstance(result, Fairness):
            known = {name: x for name, x in found.figures.items() if x.value is not None}
            course = estimates(known, greed.SHARES, told=greed.TOLD)
        last = [f"Does greed pay? {found.answer}"] if found is not None and found.answer else []
        return Telling(figures=course, checks=checks, last=last)


def _figures(result: Summary | Fairness) -> Figures:
    return result.figures if isinstance(result, Fairness) else {}


def _enriched(request: Request, summary: Summary) -> Summary:
    """Add the check against the exact solution, and the risks."""
    checks = _exact(request, summary)
    return replace(
        summary,
        figures={"exact": ExactChecks(checks)} if checks else {},
        aside={"risks": Risks(_risks(request))},
    )


def _greed(
    request: Request,
    summary: Summary,
    play: Play,
    families: tuple[str, ...] = tuple(POLICIES),
    prefix: str = "",
    most_games: int = STORY_GAMES,
) -> Greed | None:
    """Watch some games closely, and let one player try other policies in them.

    Where strategies change seats the player tries them in every seat in turn, with the others to
    its left in their order: tables that differ in nothing else share their chance, seat by seat.
    """
    games = min(request.games, most_games)
    usual = replace(request.experiment(games=games), detail="simulate")
    seats = request.players if request.rotate else 1
    still = replace(usual, games=-(-games // seats), rotate=False)
    margin = WIN_SHARE_MARGIN if request.margin is None else request.margin

    def seated(name: str, spec: str) -> tuple[ResultSet, ...]:
        lineup = (spec, *request.strategies[1:])
        runs: dict[tuple[str, ...], ResultSet] = {}
        for seat in range(seats):
            order = lineup[len(lineup) - seat :] + lineup[: len(lineup) - seat]
            if order not in runs:
                part = name if seats == 1 else f"{name}-seat-{seat + 1}"
                runs[order] = play(f"{prefix}{part}", replace(still, strategies=order))
        orders = (lineup[len(lineup) - k :] + lineup[: len(lineup) - k] for k in range(seats))
        return tuple(runs[order] for order in orders)

    with contextlib.suppress(NotPlayed):
        story = play(f"{prefix}story", replace(usual, detail="story"))
        base = (story,) if seats == 1 else seated("usual", request.strategies[0])
        every = request.find_game().families
        parts = split(request.strategies[0])
        own = list(zip(every, parts, strict=True)) if len(parts) == len(every) else []
        varied = []
        for place, (family, part) in enumerate(own):
            for policy in POLICIES[family] if family in families else ():
                if policy == part:
                    continue
                spec = "/".join([*parts[:place], policy, *parts[place + 1 :]])
                with contextlib.suppress(NotPlayed):
                    varied.append((family, policy, seated(f"{family}-{policy}", spec)))
        even = seats_alike(request.find_game(), request.rules, request.players)
        alike = len(set(request.strategies)) == 1 and even
        known = 1 / request.players if alike and not story.sums["unfinished"].any() else None
        return greed.analyze(story, base, varied, own, summary.whole, margin, known)
    return None


def _policy(spec: str, setup: Setup) -> str | PolicyTable:
    """A spec as the solver knows it; whatever it does not know is refused when it is solved."""
    if spec == "optimal":
        from analyzer.games.switch16.exact.solver import equilibrium

        return equilibrium(setup).policy
    return "/".join(DEFAULTS.get(part, part) for part in spec.split("/"))


def _shares(request: Request) -> Shares | None:
    if request.players > AFFORDABLE:
        return None
    from analyzer.games.switch16.exact.chain import (
        win_shares,  # compiled code that most runs need not load
    )

    try:
        setup = Setup.from_rules(request.rules, request.players)
        return win_shares(setup, [_policy(spec, setup) for spec in request.strategies])
    except AnalyzerError:
        return None  # a policy of somebody's own, a match, games without end: nothing to compare


def _unsolved(request: Request) -> list[str]:
    """Why nothing is compared with exact figures, if a setting is the reason."""
    try:
        if request.players <= AFFORDABLE:
            Setup.from_rules(request.rules, request.players)
    except RulesError as reason:
        return [f"No check without chance: {reason}"]
    return []


def _exact(request: Request, summary: Summary) -> tuple[ExactFigure, ...]:
    """Seat 1's share and the beginner's, if every game was a single one and came to its end."""
    if summary.unfinished or summary.rotated:
        return ()
    shares = _shares(request)
    first = summary.metrics["first_player_win_share"].value
    seat = summary.seats[0].win_share.value
    if shares is None or first is None or seat is None:
        return ()
    pairs = (
        ("the win share of seat 1", float(shares.win_share[0]), seat),
        ("the win share of who begins", shares.first_player_win_share, first),
    )
    return tuple(
        ExactFigure(name, exact, seen, (seen - exact) / _error(exact, summary.games))
        for name, exact, seen in pairs
        if 0 < exact < 1
    )


def _error(share: float, games: int) -> float:
    return math.sqrt(share * (1 - share) / games)


def _risks(request: Request) -> Columns:
    """A row for every top card of an open and a protected deck.

    Columns top, protected, dice, success (probability that one more throw clears the top card),
    change (expected change of the top card over that throw), and a column ``again: NAME`` for each
    baseline risk policy that plays or sometimes stops.
    """
    # A deck goes back and forth in the same way whenever the game ends.
    setup = Setup.from_rules({**request.rules, **SINGLE_GAME}, 2)
    kinds = {"top": int, "protected": bool, "dice": int, "success": float, "change": float}
    if setup.decks == 1:  # a deck of one card leaves nothing to risk
        return columns([], kinds)
    tops, throws = setup.tops(), setup.throws
    back_to, safe = tops[setup.busts()].tolist(), setup.protections().tolist()
    rows = []
    for top, protected, back in zip(tops.tolist(), safe, back_to, strict=True):
        success, change = throws.success(top), throws.expected_change(top, back)
        rows.append((top, protected, throws.dice[top - 1], float(success), float(change)))
    found = dict(columns(rows[1:], kinds))
    played = (split(spec)[0] for spec in request.strategies)
    for policy in dict.fromkeys([*played, *BETWEEN]):
        # Of other policies than the baseline ones nothing is known.
        with contextlib.suppress(AnalyzerError):
            table = baseline(f"{DEFAULTS.get(policy, policy)}/never/hold", setup)
            found[f"again: {policy}"] = table.risk[TRAY, setup.decks :: setup.decks] == 1
    return found


STUDY = SwitchStudy()
