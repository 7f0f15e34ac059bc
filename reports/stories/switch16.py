"""Switch 16: whether greed pays, and whether going first does."""

from __future__ import annotations

import re

from analyzer.statistics.fairness import equal_share
from analyzer.statistics.tables import Estimate, Fairness
from reports.charts import busts, course, risks, rivals, turns
from reports.charts._answers import Answer, summary_of
from reports.page import Banner, Icon, Section, Story, Tile
from reports.stories import plain
from reports.words import between, figure, number, percent, plural

__all__ = ["STORY"]


def banner(answer: Answer) -> Banner:
    """Whether greed pays, where all play alike; else who wins; and whether going first helps."""
    found = summary_of(answer).greed
    alike = len(set(summary_of(answer).lineup)) == 1
    if isinstance(answer, Fairness) or found is None or not found.answer or not alike:
        return plain.banner(answer)
    word, sentence = plain.in_words(found.answer, VERDICTS[found.verdict][0])
    first = re.search(r"[^.]*going first.*", answer.answer, re.IGNORECASE | re.DOTALL)
    more = f" {first.group().strip()}" if first else ""
    return Banner(word, VERDICTS[found.verdict][1], sentence + more)


VERDICTS: dict[str, tuple[str, Icon]] = {
    "pays": ("Yes", "yes"),
    "does-not-pay": ("No", "no"),
    "undecided": ("Undecided", "unsure"),
}


def tiles(answer: Answer) -> tuple[Tile, ...]:
    """What beginning and laying the disc are worth, how long games are, what busts cost."""
    summary = summary_of(answer)
    alike = len(set(summary.lineup)) == 1
    found = [] if alike else list(plain.win_tiles(answer)[:1])
    equal = percent(equal_share(summary))
    figures = {**summary.metrics, **(summary.greed.figures if summary.greed else {})}
    meanings = (
        ("first_player_win_share", f"of games go to whoever begins; equal would be {equal}."),
        ("turns_per_game", "turns until somebody has won, all players' turns counted."),
        ("cards_lost_per_bust", f"cards go back in a bust. {_busts(answer)}".rstrip()),
        (
            "foreign_finish_share",
            "of games are won with a deck that was somebody else's when the game began.",
        ),
        ("laying_worth", _laying(answer)),
    )
    for name, meaning in meanings:
        metric = figures.get(name, Estimate(None))
        if metric.value is None:
            continue
        if name == "laying_worth":
            metric = _in_points(metric)
        share = name.endswith("_share")
        interval = between(metric, share=share) or plain.TOO_FEW
        found.append(
            Tile(figure(metric, share=share, sign=name == "laying_worth"), interval, meaning)
        )
    return tuple(found)


def _in_points(share: Estimate) -> Estimate:
    """A difference of shares in percentage points."""
    value, low, high = (
        None if x is None else 100 * x for x in (share.value, share.low, share.high)
    )
    return Estimate(value, low, high, share.kind)


def _laying(answer: Answer) -> str:
    found = summary_of(answer).greed
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
    return f"A game has {number(busts_seen, 1)} busts, in {number(risks_taken, 1)} risks."


def _exact(answer: Answer) -> Section:
    """The simulated figures beside those worked out without chance."""
    remark = " ".join(
        f"For {figure_.figure} the exact value is {percent(figure_.exact, 4)}; these games gave "
        f"{percent(figure_.estimate, 4)}, which is {number(abs(figure_.z), 1)} standard errors "
        "away."
        for figure_ in summary_of(answer).exact
    )
    lead = "With these policies the game can also be solved, without any chance." if remark else ""
    return Section("Checked against the exact solution", lead, remark=remark)


def _whose_deck(answer: Answer) -> str:
    """How much a player's first deck means for the end."""
    found = summary_of(answer).greed
    share = Estimate(None) if found is None else found.figures["foreign_finish_share"]
    if share.value is None:
        return ""
    any_deck = percent(1 - 1 / summary_of(answer).players)
    return (
        f"The winner finishes with a deck that was somebody else's at first in "
        f"{figure(share, share=True)} of games; if decks were dealt anew at random it would be "
        f"{any_deck}."
    )


def _what_is_lost(answer: Answer) -> str:
    found = summary_of(answer).greed
    lost = Estimate(None) if found is None else found.figures["cards_lost_share"]
    if lost.value is None:
        return ""
    return f"Of all cards discarded, busts put {figure(lost, share=True)} back."


def sections(answer: Answer) -> tuple[Section, ...]:
    """Policies, risks, the course of games, players, the check, certainty."""
    alike = len(set(summary_of(answer).lineup)) == 1
    found = summary_of(answer).greed
    games = "" if found is None else f"{plural(found.games, 'game')} for each policy. "
    players = plain.players_section(answer)
    policies = Section(
        "Does greed pay?" if alike else "What if one player played otherwise?",
        f"One player changes one policy at a time; luck stays the same. {games}".strip(),
        (rivals.CHART,),
    )
    return (
        *((policies, players) if alike else (players, policies)),
        Section(
            "When is a risk worth it?",
            "After cards went a player may stop, or throw again and risk what the deck has gained.",
            (risks.CHART, busts.CHART),
            _what_is_lost(answer),
        ),
        Section("When is the game decided?", "", (turns.CHART, course.CHART), _whose_deck(answer)),
        _exact(answer),
        plain.how_sure(answer),
    )


STORY = Story(
    title="Switch 16",
    questions={"simulate": "Does greed pay?", "fairness": "Is going first an advantage?"},
    banner=banner,
    tiles=tiles,
    sections=sections,
)
