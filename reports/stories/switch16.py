"""Switch 16: whether greed pays, and whether going first does."""

from __future__ import annotations

from analyzer.statistics.tables import Estimate
from reports.charts import risks
from reports.charts._answers import Answer, summary_of
from reports.page import Section, Story, Tile
from reports.stories import plain
from reports.words import between, figure, number, percent

__all__ = ["STORY"]


def tiles(answer: Answer) -> tuple[Tile, ...]:
    """Who wins most, what beginning is worth, how long games are, what risks cost."""
    summary = summary_of(answer)
    found = list(plain.win_tiles(answer)[:1])
    equal = percent(1 / summary.players)
    meanings = (
        ("first_player_win_share", True, f"of games go to whoever begins; equal would be {equal}."),
        ("turns_per_game", False, "turns until somebody has won."),
        ("busts_per_game", False, _busts(answer)),
        ("blocks_laid_per_game", False, "times a game the disc is laid on a deck."),
    )
    for name, share, meaning in meanings:
        metric = summary.metrics.get(name, Estimate(None))
        if metric.value is not None:
            interval = between(metric, share=share) or plain.TOO_FEW
            found.append(Tile(figure(metric, share=share), interval, meaning))
    return tuple(found)


def _busts(answer: Answer) -> str:
    metrics = summary_of(answer).metrics
    risks_taken = metrics.get("risks_per_game", Estimate(None)).value
    if not risks_taken:
        return "busts a game, all players together."
    return f"busts a game, out of {number(risks_taken, 1)} risks, all players together."


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


def sections(answer: Answer) -> tuple[Section, ...]:
    """Players, risks, the check, certainty."""
    return (
        plain.players_section(answer),
        Section(
            "When is a risk worth it?",
            "After cards went a player may stop, or throw again and risk what the deck has gained.",
            (risks.CHART,),
        ),
        _exact(answer),
        plain.how_sure(answer),
    )


STORY = Story(
    title="Switch 16",
    questions={"simulate": "Does greed pay?", "fairness": "Is going first an advantage?"},
    banner=plain.banner,
    tiles=tiles,
    sections=sections,
)
