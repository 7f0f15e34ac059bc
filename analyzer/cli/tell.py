"""An answer for people: a short table and one plain sentence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Set
from pathlib import Path
from typing import TYPE_CHECKING

from analyzer.cli.output import emit_tables, table
from analyzer.plugins import find_game
from analyzer.statistics.tables import (
    Estimate,
    Fairness,
    Greed,
    Lifesavers,
    Player,
    Suggestion,
    Summary,
)
from analyzer.statistics.wording import games, label, plural
from analyzer.study import Answer

if TYPE_CHECKING:
    from rich.console import RenderableType

    from analyzer.games.mermaidbeach.figures import TurnOrder

__all__ = ["tell_answer"]

LONG = 14
"""Letters of a name that any table has room for."""


def tell_answer(answer: Answer, path: Path | None, *, report: bool) -> None:
    """Print an answer, and where it is kept."""
    summary = answer.summary
    parts: list[RenderableType | str] = [_players(summary)]
    if _is_told_once(summary):
        parts.append(f"Every seat plays {summary.lineup[0]}.")
    if isinstance(answer.result, Fairness) and answer.result.lifesavers is not None:
        parts.append(_lifesavers(answer.result.lifesavers))
        if answer.result.suggestion is not None:
            parts.append(_suggestion(answer.result.suggestion))
        elif answer.request.suggest:
            parts.append(
                "No other printing is suggested: these games do not tell what each card and a "
                "preserver are worth."
            )
    parts += _own_tables(answer.result)
    shares = {metric.name for metric in find_game(summary.game).metrics if metric.kind == "share"}
    parts += _figures(summary.metrics, shares, summary.part)
    if isinstance(answer.result, Fairness):
        parts += _course(summary.greed)
        parts += [f"With {field.field}: {field.answer}" for field in answer.result.fields]
    parts += [
        f"Check of {f.figure}: exact {100 * f.exact:.4f}%, simulated {100 * f.estimate:.4f}%, "
        f"{f.z:+.1f} standard errors apart."
        for f in summary.exact
    ]
    parts += answer.problems
    parts += [
        f"The {plural(summary.whole)} consist of {n:,} {name}."
        for name, n in summary.parts.items()
        if isinstance(n, int)
    ]
    if summary.unfinished:
        stopped = games(summary.unfinished, summary.whole)
        parts.append(f"Without a winner at the turn limit: {stopped}.")
    if summary.precision_reached is False:
        parts.append(
            f"The {plural(summary.whole)} ended before the precision was reached; raise --games."
        )
    if summary.note:
        parts.append(summary.note)
    parts.append(
        f"{games(summary.games, summary.whole)} of {summary.game} with {summary.players} players, "
        f"seed {summary.seed}{_pace(answer)}."
    )
    if path is not None:
        parts.append(f"Saved in {str(path / 'report.html' if report else path)!r}.")
    if summary.greed is not None and summary.greed.answer:
        parts.append(f"Does greed pay? {summary.greed.answer}")
    parts.append(answer.result.answer)
    emit_tables(*parts)


def _pace(answer: Answer) -> str:
    """How long it took; with the games played for comparison, if there were any."""
    played = sum(part.games for part in answer.parts)
    more = f" ({played:,} with all comparisons)" if played > answer.summary.games else ""
    speed = answer.games_per_second
    pace = f" at {speed:,.0f} {plural(answer.summary.whole)}/s" if speed else ""
    return f"{more}, played in {answer.seconds:,.1f} s{pace}"


def _players(summary: Summary) -> RenderableType:
    """Who won how often: by seat, or by strategy where strategies rotated."""
    rotated = bool(summary.strategies)
    players = summary.strategies if rotated else summary.seats
    columns = ["seat", "strategy", "win share", "95% interval", "mean score", "95% interval"]
    rows = [_row(player) for player in players]
    left_out = "seat" if rotated else "strategy" if _is_told_once(summary) else ""
    shown = [place for place, name in enumerate(columns) if name != left_out]
    columns, *rows = ([row[place] for place in shown] for row in (columns, *rows))
    numbers = [name for name in columns if name != "strategy"]
    return table(columns, rows, numbers=numbers, names=("strategy",))


def _row(player: Player) -> list[str]:
    return [
        str(player.seat or ""),
        player.strategy,
        _percent(player.win_share.value),
        _span(player.win_share, _percent),
        _number(player.mean_score.value),
        _span(player.mean_score, _number),
    ]


def _is_told_once(summary: Summary) -> bool:
    """Whether one long name stands for all seats, so that it need not be in each row."""
    return (
        len(set(summary.lineup)) == 1 and len(summary.lineup[0]) > LONG and not summary.strategies
    )


def _lifesavers(found: Lifesavers) -> RenderableType:
    """What is known; where all hands have the same preservers, they are worth nothing to tell."""
    figures = (
        ("points a round for one more preserver", found.slope, _points),
        ("  of which the preserver itself", found.gift, _points),
        ("  of which the cards it is printed on", found.handicap, _points),
        ("part of the preserver that pays for the cards", found.compensation, _tenths),
        ("rounds won, best minus worst tenth of hands", found.round_win_gap, _tenths),
        ("part of a round decided by the deal", found.hand_share, _tenths),
    )
    told = figures[-1:] if found.verdict == "no-variation" else figures
    rows = [(name, text(x.value), _span(x, text)) for name, x, text in told if x.value is not None]
    columns = ("figure", "value", "95% interval")
    return table(columns, rows, numbers=columns[1:])


def _own_tables(result: Summary | Fairness) -> list[RenderableType | str]:
    """The tables that only one game has: places in the turn order, cards of an opening hand."""
    figures = result.figures if isinstance(result, Fairness) else {}
    parts: list[RenderableType | str] = []
    if "turn_order" in figures:
        parts.append(_turn_order(figures["turn_order"]))
    if "opening" in figures:
        found = figures["opening"]
        rows = [
            (card.card, _signed(card.worth.value), _span(card.worth, _signed))
            for card in sorted(found.cards, key=lambda card: -(card.worth.value or 0.0))
            if card.worth.value is not None
        ]
        columns = ("one more in the opening hand", "adds to win share", "95% interval")
        if rows:
            parts.append(table(columns, rows, numbers=columns[1:]))
        parts.append(f"part of who wins explained by it: {_of(found.explained, share=True)}")
    return parts


def _turn_order(found: TurnOrder) -> RenderableType:
    rows = [
        (
            str(place.position),
            _percent(place.win_share.value),
            _span(place.win_share, _percent),
            _signed(place.advantage.value),
            _span(place.advantage, _signed),
        )
        for place in found.positions
    ]
    columns = ("turn order", "win share", "95% interval", "advantage", "95% interval")
    return table(columns, rows, numbers=columns)


def _signed(value: float | None) -> str:
    """A difference of shares in percentage points."""
    return "unknown" if value is None else f"{100 * value:+.2f}"


def _course(found: Greed | None) -> list[str]:
    """How games go."""
    if found is None:
        return []
    from analyzer.games.switch16.greed import SHARES

    told = {name: x for name, x in found.figures.items() if x.value is not None}
    return _figures(told, SHARES, "")


def _suggestion(found: Suggestion) -> RenderableType:
    rows = [
        (
            name,
            _points(m.slope.value),
            _tenths(m.round_win_gap.value),
            _tenths(m.hand_share.value),
        )
        for name, m in (
            ("as printed", found.before),
            ("suggested", found.after),
            ("in five bands", found.bands),
        )
    ]
    columns = ("printing", "points a preserver", "best - worst tenth", "decided by the deal")
    return table(columns, rows, numbers=columns[1:])


def _figures(figures: Mapping[str, Estimate], shares: Set[str], part: str) -> list[str]:
    return [
        f"{label(name, part)}: {_of(figure, share=name in shares)}"
        for name, figure in figures.items()
    ]


def _of(estimate: Estimate, *, share: bool) -> str:
    """A figure and its interval, with as many decimals as tell the ends of the interval apart."""
    scale, unit = (100, "%") if share else (1, "")
    value, low, high = estimate.value, estimate.low, estimate.high
    if value is None or low is None or high is None:
        return _percent(value) if unit else _number(value)
    places = 2
    while low < high and f"{scale * low:.{places}f}" == f"{scale * high:.{places}f}":
        places += 1
    told, least, most = (f"{scale * x:.{places}f}{unit}" for x in (value, low, high))
    return f"{told} ({least} to {most})"


def _span(estimate: Estimate, text: Callable[[float], str]) -> str:
    if estimate.low is None or estimate.high is None:
        return ""
    return f"{text(estimate.low)} to {text(estimate.high)}"


def _percent(value: float | None) -> str:
    return "unknown" if value is None else f"{100 * value:.2f}%"


def _tenths(value: float | None) -> str:
    return "unknown" if value is None else f"{100 * value:.1f}%"


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.2f}"


def _points(value: float | None) -> str:
    return "unknown" if value is None else f"{value:.3f}"
