"""An answer for people: a short table and one plain sentence."""

from __future__ import annotations

from collections.abc import Sequence

from analyzer.cli.output import TextTable, emit_tables, table
from analyzer.plugins import find_game
from analyzer.statistics.seats import seats_alike
from analyzer.statistics.tables import Fairness, Player, Summary
from analyzer.statistics.wording import games, plural
from analyzer.statistics.wording import table as who_plays
from analyzer.study import Answer, study_of
from analyzer.study.telling import estimates, number, percent, span

LONG = 14
"""Letters of a name that any table has room for."""


def tell_answer(answer: Answer, *, markdown: bool = False) -> None:
    """Print an answer."""
    summary = answer.summary
    parts: list[TextTable | str] = [_players(summary)]
    if _is_told_once(summary):
        parts.append(f"Every seat plays {summary.lineup[0]}.")
    told = study_of(summary.game).tell(answer.request, answer.result)
    parts += [
        part if isinstance(part, str) else table(part.columns, part.rows, part.whole, part.numbers)
        for part in told.tables
    ]
    shares = {metric.name for metric in find_game(summary.game).metrics if metric.kind == "share"}
    parts += [*estimates(summary.metrics, shares, summary.part), *told.figures]
    if summary.shape is not None:
        parts += summary.shape.sentences(summary.whole)
    if isinstance(answer.result, Fairness):
        parts += [
            f"Among {who_plays(field.summary.lineup, summary.game)}: {field.answer}"
            for field in answer.result.fields
        ]
    parts += [*told.checks, *answer.problems]
    parts += [
        f"The {plural(summary.whole)} consist of {n:,} {name}."
        for name, n in summary.parts.items()
        if isinstance(n, int)
    ]
    if summary.unfinished:
        stopped = games(summary.unfinished, summary.whole)
        parts.append(f"Without a winner at the turn limit: {stopped}.")
    if summary.precision_reached is False:
        parts.append(_not_precise(summary))
    if summary.note:
        parts.append(summary.note)
    parts.append(
        f"{games(summary.games, summary.whole)} of {summary.game} with {summary.players} players, "
        f"seed {summary.seed}{_pace(answer)}."
    )
    parts += [*told.last, answer.result.answer]
    emit_tables(*parts, markdown=markdown)


def _not_precise(summary: Summary) -> str:
    """That the precision was not reached, and what would reach it."""
    many = plural(summary.whole)
    if summary.games_needed is None:
        return f"The {many} ended before the precision was reached; raise --games."
    needed = two_digits(summary.games_needed)
    return (
        f"The {many} ended before the precision was reached: going by these, it takes about "
        f"{needed:,} {many}; give --games {needed}."
    )


def two_digits(number: int) -> int:
    """A whole number rounded up to two digits: what a guess is worth."""
    unit: int = 10 ** max(len(str(number)) - 2, 0)
    return -(-number // unit) * unit


def _pace(answer: Answer) -> str:
    """How long it took; with the games played for comparison, if there were any."""
    played = sum(part.games for part in answer.parts)
    more = f" ({played:,} with all comparisons)" if played > answer.summary.games else ""
    speed = answer.games_per_second
    pace = f" at {speed:,.0f} {plural(answer.summary.whole)}/s" if speed else ""
    return f"{more}, played in {answer.seconds:,.1f} s{pace}"


def _players(summary: Summary) -> TextTable:
    """Who won how often: by seat, or by strategy, the best first, where strategies rotated."""
    rotated = bool(summary.strategies)
    players: Sequence[Player] = summary.seats
    if rotated:
        players = sorted(summary.strategies, key=lambda player: -(player.win_share.value or 0.0))
    columns = ["seat", "strategy", "win share", "95% interval", "mean score", "95% interval"]
    if rotated:
        players = tuple(sorted(players, key=lambda player: -(player.win_share.value or 0.0)))
    rows = [_row(player) for player in players]
    if _equal_players(summary):
        rows = [_pooled(summary)]
    left_out = "seat" if rotated else "strategy" if _is_told_once(summary) else ""
    shown = [place for place, name in enumerate(columns) if name != left_out]
    columns, *rows = ([row[place] for place in shown] for row in (columns, *rows))
    numbers = [name for name in columns if name != "strategy"]
    return table(columns, rows, numbers=numbers, names=("strategy",))


def _row(player: Player) -> list[str]:
    return [
        str(player.seat or ""),
        player.strategy,
        percent(player.win_share.value),
        span(player.win_share, percent),
        number(player.mean_score.value),
        span(player.mean_score, number),
    ]


def _equal_players(summary: Summary) -> bool:
    """Whether all play alike in seats that are alike by the rules."""
    alike = seats_alike(find_game(summary.game), summary.rules, summary.players)
    return len(set(summary.lineup)) == 1 and alike


def _pooled(summary: Summary) -> list[str]:
    """One row for equal players: what each wins is known, and all score the same on average."""
    means = [seat.mean_score.value for seat in summary.seats if seat.mean_score.value is not None]
    mean = sum(means) / len(means) if len(means) == summary.players else None
    return [
        f"each of {summary.players}",
        summary.lineup[0],
        percent(summary.equal_share),
        "by the rules",
        number(mean),
        "",
    ]


def _is_told_once(summary: Summary) -> bool:
    """Whether one long name stands for all seats, so that it need not be in each row."""
    return (
        len(set(summary.lineup)) == 1 and len(summary.lineup[0]) > LONG and not summary.strategies
    )
