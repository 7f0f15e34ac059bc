"""Share of games won, by seat or by strategy."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from analyzer.statistics.tables import Player, Summary
from analyzer_reports.answers import Answer, equal_players, people, summary_of
from analyzer_reports.chart import Chart, Column, Words
from analyzer_reports.dots import against_equal, listed_shares
from analyzer_reports.marks import dots_frame, estimates, interval, interval_columns
from analyzer_reports.words import figure, joined, percent, plural, several, shorten

COLUMNS = ("label", "value", "low", "high", "said", "outright", "score", "spread")


def data(answer: Answer) -> pd.DataFrame:
    """A row per seat (under rotation: per strategy); ``equal`` is the share of equal players.

    None where all are equal by the rules: that is a sentence, not a picture.
    """
    summary = summary_of(answer)
    if equal_players(summary):
        return estimates([], COLUMNS)
    frame = estimates(
        [
            {
                "label": label,
                **interval(player.win_share),
                "said": figure(player.win_share, share=True),
                "outright": player.outright_wins,
                "score": player.mean_score.value,
                "spread": player.sd_score,
            }
            for label, player in _ranked(summary)
        ],
        COLUMNS,
        equal=summary.equal_share,
        games=summary.games,
        one=summary.whole,
        many=several(summary.whole),
        rotated=summary.rotated,
        verdict=summary.verdict,
        alike=len({player.strategy for player in summary.seats}) == 1 and not summary.rotated,
    )
    return frame.astype({"score": float, "spread": float}).dropna(subset=["value"])


def _ranked(summary: Summary) -> Sequence[tuple[str, Player]]:
    """Who is compared, strategies with the best first, seats in order."""
    if not summary.rotated:
        return people(summary)
    return sorted(people(summary), key=lambda pair: -(pair[1].win_share.value or 0.0))


def words(rows: pd.DataFrame) -> Words:
    """Who wins more than an equal share, as far as the intervals tell.

    Where the statistics call the seats level, single intervals have no say: they test all seats
    together, and of the intervals of a fair game one would too often miss.
    """
    equal, games, verdict = (rows.attrs[name] for name in ("equal", "games", "verdict"))
    one, many = rows.attrs["one"], rows.attrs["many"]
    above, below = rows[rows["low"] > equal], rows[rows["high"] < equal]
    best = rows.sort_values("value").iloc[-1]
    if verdict == "too-few":
        title = (
            f"{plural(games, one)} {'is' if games == 1 else 'are'} too few to tell who wins more"
        )
    elif verdict == "nobody-wins":
        title = f"Nobody wins a {one} before the turn limit"
    elif verdict == "level" or len(above) + len(below) == 0:
        who = (
            "seat" if rows.attrs["alike"] else "player" if not rows.attrs["rotated"] else "strategy"
        )
        title = f"No {who} is shown to win more than its equal share"
    elif len(above) == 1 and verdict == "ranked":
        title = (
            f"{shorten(above['label'].iloc[0], 40)} wins most: {percent(best['value'])} of {many}"
        )
    elif len(above):
        names = [shorten(str(label), 24) for label in above.sort_values("value")["label"][::-1]]
        title = f"{joined(names)} {'wins' if len(names) == 1 else 'win'} more than an equal share"
    else:
        names = [shorten(str(label), 24) for label in below["label"]]
        title = f"{joined(names)} {'wins' if len(names) == 1 else 'win'} less than an equal share"
    title = title[:1].upper() + title[1:]
    caption = (
        f"Share of {many} won (a tie is shared), with its 95% range. "
        f"Dashed: the equal share, {percent(equal)}."
    )
    if verdict == "level" and len(above) + len(below):
        caption += " A single range may miss by chance; all seats taken together do not differ."
    alt = f"{title}. {listed_shares(rows)}. An equal share is {percent(equal)}."
    return Words(title, caption, alt)


CHART = Chart(
    name="win-share",
    data=data,
    draw=against_equal,
    words=words,
    columns=lambda rows: (
        Column("label", "Who", "text"),
        *interval_columns("Wins", "percent", 2),
        Column("outright", "Outright", "count"),
        Column("score", "Points", "number", 2),
    ),
    frame=dots_frame,
)
