"""Switch 16: whether greed pays, and whether going first does."""

from __future__ import annotations

import re
from dataclasses import replace

from analyzer.games.switch16.figures import ExactChecks, Greed
from analyzer.statistics import wording
from analyzer.statistics.tables import Estimate, Fairness
from analyzer.statistics.turn_order import equal_share
from analyzer_reports.answers import Answer, figure_of, people, seats_confounded, summary_of
from analyzer_reports.games.switch16.answers import greed_of
from analyzer_reports.games.switch16.charts import busts, risks, rivals, stopping
from analyzer_reports.page import Banner, Icon, Section, Story, Tile
from analyzer_reports.stories import plain
from analyzer_reports.words import (
    between,
    capital,
    figure,
    in_points,
    number,
    percent,
    plural,
    several,
    shorten,
)


def _alike(answer: Answer) -> bool:
    """Whether all seats play the same strategy."""
    return len(set(summary_of(answer).lineup)) == 1


def _about_greed(answer: Answer) -> Greed | None:
    """The figures on greed, if they are what the page is about first of all."""
    found = greed_of(answer)
    first = found is not None and found.answer and _alike(answer)
    return found if first and not isinstance(answer, Fairness) else None


def question(answer: Answer) -> str:
    """Whether greed pays, where all play alike; else who wins."""
    if isinstance(answer, Fairness):
        return "Is going first an advantage?"
    if _about_greed(answer) is not None:
        return "Does greed pay?"
    return plain.WHO_WINS if _alike(answer) else "Who wins most?"


def banner(answer: Answer) -> Banner:
    """The answer to the question, and whether going first helps."""
    found = _about_greed(answer)
    if found is None:
        usual = plain.banner(answer)
        summary = summary_of(answer)
        if summary.verdict != "ranked" or _alike(answer):
            return usual
        best, _ = max(people(summary), key=lambda one: one[1].win_share.value or 0.0)
        return Banner(shorten(f"{capital(best)} wins most", 60), usual.icon, usual.sentence)
    word, sentence = plain.in_words(found.answer, VERDICTS[found.verdict][0])
    first = re.search(r"[^.]*going first.*", answer.answer, re.IGNORECASE | re.DOTALL)
    more = f" {first.group().strip()}" if first else ""
    return Banner(word, VERDICTS[found.verdict][1], sentence + more)


VERDICTS: dict[str, tuple[str, Icon]] = {
    "pays": ("Yes", "yes"),
    "does-not-pay": ("No", "no"),
    "no-difference-shown": ("No", "even"),
    "depends-on-play": ("It depends", "unsure"),
    "undecided": ("Undecided", "unsure"),
}


def tiles(answer: Answer) -> tuple[Tile, ...]:
    """What beginning and laying the disc are worth, how long games are, what busts cost."""
    summary = summary_of(answer)
    found = [] if _alike(answer) else list(plain.win_tiles(answer)[:1])
    equal = percent(equal_share(summary))
    about_greed = greed_of(answer)
    figures = {**summary.metrics, **(about_greed.figures if about_greed else {})}
    many, one = several(summary.part), summary.part
    # Where whoever begins plays in a way of their own, their share says nothing of beginning.
    begins = "" if seats_confounded(summary) else "first_player_win_share"
    meanings = (
        (
            begins,
            f"of {many} go to whoever begins; equal would be {equal}.",
        ),
        ("turns_per_game", f"turns a {one} lasts, all players' turns counted."),
        ("cards_lost_per_bust", f"cards go back in a bust. {_busts(answer)}".rstrip()),
        (
            "foreign_finish_share",
            f"of {many} are won with a deck that was somebody else's when the {one} began.",
        ),
        ("laying_worth", _laying(answer)),
    )
    for name, meaning in meanings:
        metric = figures.get(name, Estimate(None))
        if name != "laying_worth":
            found += plain.figure_tile(metric, meaning, share=name.endswith("_share"))
        elif metric.value is not None:
            points = in_points(metric)
            interval = between(points) or plain.TOO_FEW
            found.append(Tile(figure(points, sign=True), interval, meaning))
    return tuple(found)


def _laying(answer: Answer) -> str:
    found = greed_of(answer)
    own = [] if found is None else [r.policy for r in found.rivals if r.own and r.family == "block"]
    policy = "deny" if own in ([], ["hold"]) else own[0]
    return (
        "percentage points of win share for a player who lays the Block disc on others "
        f"({policy}), compared with keeping it."
    )


def _busts(answer: Answer) -> str:
    """How many busts there are."""
    metrics = summary_of(answer).metrics
    risks_taken = metrics.get("risks_per_game", Estimate(None)).value
    busts_seen = metrics.get("busts_per_game", Estimate(None)).value
    if not risks_taken or busts_seen is None:
        return ""
    part = summary_of(answer).part
    return f"A {part} has {number(busts_seen, 1)} busts, in {number(risks_taken, 1)} risks."


def _exact(answer: Answer) -> Section:
    """The simulated figures beside those worked out without chance."""
    found = figure_of(answer, "exact", ExactChecks)
    remark = " ".join(
        f"For {figure_.figure} the exact value is {percent(figure_.exact, 4)}; these games gave "
        f"{percent(figure_.estimate, 4)}, which is {number(abs(figure_.z), 1)} standard errors "
        "away."
        for figure_ in (() if found is None else found.checks)
    )
    lead = "With these policies the game can also be solved, without any chance." if remark else ""
    return Section("Checked against the exact solution", lead, remark=remark)


def _whose_deck(answer: Answer) -> str:
    """How much a player's first deck means for the end."""
    found = greed_of(answer)
    share = Estimate(None) if found is None else found.figures["foreign_finish_share"]
    if share.value is None:
        return ""
    any_deck = percent(1 - 1 / summary_of(answer).players)
    return (
        f"The winner finishes with a deck that was somebody else's at first in "
        f"{figure(share, share=True)} of {several(summary_of(answer).part)}; if decks were dealt "
        f"anew at random it would be {any_deck}."
    )


def _what_is_lost(answer: Answer) -> str:
    found = greed_of(answer)
    lost = Estimate(None) if found is None else found.figures["cards_lost_share"]
    if lost.value is None:
        return ""
    return f"Of all cards discarded, busts put {figure(lost, share=True)} back."


def _for_whom(answer: Answer) -> tuple[Section, ...]:
    """Whoever begins and whoever throws again, at every table of strategies."""
    if not isinstance(answer, Fairness) or not answer.fields:
        return ()
    told = " ".join(
        f"Among {wording.table(table.summary.lineup, table.summary.game)}: {table.answer}"
        for table in answer.tables
    )
    lead = "The same question for other ways of playing."
    return (Section("For whom?", f"{lead} {plain.strengths(answer)}".rstrip(), remark=told),)


def _how_it_goes(answer: Answer) -> Section:
    """How games go, and whose deck it is that wins them."""
    section = plain.how_it_goes(answer)
    return replace(section, remark=f"{_whose_deck(answer)} {section.remark}".strip())


def sections(answer: Answer) -> tuple[Section, ...]:
    """Policies, risks, the course of games, players, the check, certainty."""
    alike = _alike(answer)
    found = greed_of(answer)
    whole = summary_of(answer).whole
    games = "" if found is None else f"{plural(found.games, whole)} for each policy. "
    players = plain.players_section(answer)
    policies = Section(
        "Does greed pay?" if alike else "What if one player played otherwise?",
        f"One player changes one policy at a time; luck stays the same. {games}".strip(),
        (rivals.CHART,),
        found.answer if found is not None and found.own else "",
    )
    return (
        *((policies, players) if alike else (players, policies)),
        Section(
            "When is a risk worth it?",
            "After cards went a player may stop, or throw again and risk what the deck has gained.",
            (risks.CHART, busts.CHART),
            _what_is_lost(answer),
        ),
        *_for_whom(answer),
        _how_it_goes(answer),
        _exact(answer),
        plain.how_sure(answer),
    )


STORY = Story(
    title="Switch 16",
    question=question,
    banner=banner,
    tiles=tiles,
    sections=sections,
    alone={"solution": stopping.CHART},
)
