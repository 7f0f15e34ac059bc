"""What can be said of any game: who wins how often. Other stories borrow from here."""

from __future__ import annotations

from analyzer.statistics.tables import Fairness, Summary
from reports.chart import Chart
from reports.charts import scores, settling, wins
from reports.charts._answers import Answer, people, summary_of
from reports.page import Banner, Section, Story, Tile
from reports.words import between, figure, known, number, percent, plural, shorten

__all__ = ["how_sure", "players_section", "story", "win_banner", "win_tiles", "without"]


def without(sentence: str, word: str) -> str:
    """The sentence without the verdict's word at its start, which the banner shows already."""
    lead = f"{word}."
    return sentence[len(lead) :].lstrip() if sentence.startswith(lead) else sentence


def win_banner(answer: Answer) -> Banner:
    """Even, uneven, or too early to say."""
    summary = summary_of(answer)
    shares = [player.win_share for _, player in people(summary)]
    equal = 1 / summary.players
    if not all(known(share) for share in shares):
        return Banner("Too early to say", "unsure", answer.answer)
    if any((share.low or 0) > equal or (share.high or 0) < equal for share in shares):
        return Banner("Uneven", "no", answer.answer)
    return Banner("Even", "equal", answer.answer)


def win_tiles(answer: Answer) -> tuple[Tile, ...]:
    """The largest and smallest win share, the score and its spread."""
    summary = summary_of(answer)
    ranked = sorted(
        (pair for pair in people(summary) if pair[1].win_share.value is not None),
        key=lambda pair: -(pair[1].win_share.value or 0.0),
    )
    tiles = []
    if ranked:
        equal = percent(1 / summary.players)
        for (label, player), said in ((ranked[0], "most"), (ranked[-1], "least")):
            tiles.append(
                Tile(
                    figure(player.win_share, share=True),
                    between(player.win_share, share=True),
                    f"of games go to {shorten(label, 48)}, who wins {said}. An equal share is {equal}.",
                )
            )
        label, player = max(ranked, key=lambda pair: pair[1].mean_score.value or float("-inf"))
        spread = (
            ""
            if player.sd_score is None
            else f" Most games fall within {number(player.sd_score, 1)} points of it."
        )
        tiles.append(
            Tile(
                figure(player.mean_score),
                between(player.mean_score),
                f"points a game on average for {shorten(label, 48)}, the best score.{spread}",
            )
        )
    return tuple(tiles)


def players_section(answer: Answer) -> Section:
    """Win shares and scores, and whether seat and strategy can be told apart."""
    remark = summary_of(answer).note
    if isinstance(answer, Fairness) and answer.seats_test.p_value is not None:
        p = answer.seats_test.p_value
        chance = "fewer than 1" if p < 0.01 else f"about {100 * p:.0f}"
        told = (
            f"If all seats were equally good, differences as large as these would turn up in {chance} "
            "of 100 runs like this one."
        )
        remark = f"{told} {remark}".strip()
    return Section("The players", charts=(wins.CHART, scores.CHART), remark=remark)


def how_sure(answer: Answer, *more: Chart) -> Section:
    """Estimates as games accumulate."""
    summary = summary_of(answer)
    lead = (
        f"Everything here rests on {plural(summary.games, 'simulated game')}. More games make the "
        "ranges narrower, by half for four times as many."
    )
    if summary.precision_reached is True:
        lead += " The run stopped when the requested precision was reached."
    elif summary.precision_reached is False:
        lead += " The requested precision was not reached within these games."
    return Section("How sure is this?", lead, (*more, settling.CHART), keep=True)


def sections(answer: Answer) -> tuple[Section, ...]:
    """Players, then certainty."""
    return players_section(answer), how_sure(answer)


def banner(answer: Answer) -> Banner:
    """The verdict in the answer's own words."""
    if isinstance(answer, Summary) or answer.lifesavers is None:
        return win_banner(answer)
    return Banner(answer.verdict.capitalize(), "none", answer.answer)


def story(game: str) -> Story:
    """The plain story of any game."""
    return Story(
        title=game,
        questions={"simulate": "Who wins, and how often?", "fairness": "Is the game fair?"},
        banner=banner,
        tiles=win_tiles,
        sections=sections,
    )
