"""``analyzer sensitivity GAME``: how far the answers depend on what the rules leave open."""

from __future__ import annotations

import hashlib
import json as json_module
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from analyzer.cli.options import GameName, RunOptions, spread
from analyzer.errors import ResultsError, UsageError

if TYPE_CHECKING:
    from analyzer.rundir import RunDirectory
    from analyzer.statistics.tables import Estimate, Summary
    from analyzer.study import Play, Request

__all__ = ["report", "run"]

FIRST = "first_player_win_share"


class Variant(NamedTuple):
    """One assumption changed; ``request`` is None where ``refused`` says why."""

    setting: str
    value: str
    label: str
    request: Request | None
    refused: str = ""


@dataclass(frozen=True)
class Finding:
    """The figures of a variant, by name; empty if it was refused.

    ``games`` are those played, and ``precise`` says whether a precision that was asked for was
    reached in them.
    """

    variant: Variant
    figures: dict[str, Estimate]
    games: int = 0
    precise: bool | None = None


@spread(RunOptions)
def run(options: RunOptions, game: GameName) -> None:
    """Vary each assumption about the rules, one at a time, and compare the answers."""
    from analyzer.cli.errand import Errand, carry_out, seed_of
    from analyzer.cli.setup import check_run_options, request_from
    from analyzer.rundir import default_path

    check_run_options(options)
    seed = seed_of(options)
    base = request_from("simulate", game, options, seed=seed)
    variants = _variants(base)
    if not variants:
        raise UsageError(f"the rules of {base.game} leave nothing open that could be varied.")
    identity = {**base.identity(), "sensitivity": [list(v[:2]) for v in variants]}
    text = json_module.dumps(identity, sort_keys=True)
    digest = hashlib.sha256(text.encode("utf-8", "backslashreplace")).hexdigest()[:12]

    def conclude(play: Play) -> list[Finding]:
        return _findings(base, variants, play)

    def publish(findings: list[Finding], directory: RunDirectory, report: bool) -> None:
        _publish(base, findings, directory, report=report)

    def tell(findings: list[Finding], path: Path | None) -> None:
        _tell(base, findings, path, json=options.json)

    errand = Errand(
        command="sensitivity",
        request=base,
        identity=identity,
        path=options.out or default_path(base.game, "sensitivity", seed, digest),
        files=("tables/sensitivity.csv", "sensitivity.png"),
        conclude=conclude,
        publish=publish,
        tell=tell,
    )
    carry_out(errand, options)


def report(claimed: RunDirectory, path: Path, *, json: bool) -> None:
    """Draw a saved comparison again, without playing.

    Raises
    ------
    ResultsError
        If the assumptions as they are were not played, or it is damaged.
    """
    from analyzer import study
    from analyzer.cli.output import note

    base = study.Request.from_json(claimed.saved.identity.get("request", {}))
    archive = study.Archive(claimed.saved)
    try:
        findings = _findings(base, _variants(base), archive)
    except study.NotPlayed as reason:
        raise ResultsError(f"nothing can be reported from {str(path)!r}: {reason}") from None
    for problem in archive.problems:
        note(problem)
    _publish(base, findings, claimed, report=True)
    _tell(base, findings, path, json=json)


def _variants(base: Request) -> list[Variant]:
    """The assumptions as they are, then every alternative of each."""
    from analyzer.rules import toml_text
    from analyzer.study import make_request

    found = [Variant("", "", "as assumed", base)]
    for setting in base.find_game().settings:
        if setting.source != "assumption":
            continue
        for value in setting.alternatives:
            parsed = setting.parse(value) if setting.parse is not None else value
            if parsed == base.rules[setting.key]:
                continue
            text = toml_text(parsed)
            label = f"{setting.key} = {_difference(parsed, base.rules[setting.key])}"
            try:
                request = make_request(
                    "simulate",
                    base.find_game(),
                    strategies=base.strategies,
                    rules={**base.rules, setting.key: parsed},
                    games=base.games,
                    seed=base.seed,
                    rotate=base.rotate,
                    precision=base.precision,
                )
            except UsageError as reason:
                found.append(Variant(setting.key, text, label, None, str(reason)))
                continue
            found.append(Variant(setting.key, text, label, request))
    return found if len(found) > 1 else []


def _difference(value: Any, usual: Any) -> str:
    """A value as text; of a table only the entries that differ."""
    from analyzer.rules import toml_text

    if not isinstance(value, dict) or not isinstance(usual, dict):
        return toml_text(value)
    return toml_text({key: item for key, item in value.items() if item != usual.get(key)})


def _findings(base: Request, variants: list[Variant], play: Play) -> list[Finding]:
    """The figures of every variant that can be had; without those of the first there are none."""
    from analyzer.statistics.summary import summarize
    from analyzer.study import NotPlayed

    found = []
    for number, variant in enumerate(variants):
        if variant.request is None:
            found.append(Finding(variant, {}))
            continue
        name = f"variant-{number}" if number else "main"
        sequence = variant.request.sequence()
        try:
            result = play(name, variant.request.experiment(), sequence)
        except NotPlayed:
            if number == 0:
                raise
            continue
        summary = summarize(result, base.find_game(), sequence)
        figures = _figures(summary)
        found.append(Finding(variant, figures, summary.games, summary.precision_reached))
    return found


def _figures(summary: Summary) -> dict[str, Estimate]:
    """Who wins how often, then the game's own figures."""
    figures: dict[str, Estimate] = {}
    if summary.strategies:
        figures |= {f"win share of {p.strategy}": p.win_share for p in summary.strategies}
    elif len(set(summary.lineup)) > 1:
        figures |= {
            f"win share of {p.strategy} (seat {p.seat})": p.win_share for p in summary.seats
        }
    else:
        figures |= {f"win share of seat {p.seat}": p.win_share for p in summary.seats}
    return figures | dict(summary.metrics)


def _headline(base: Request, findings: list[Finding]) -> str:
    """The figure that the table and the chart are about.

    The first strategy's win share if strategies differ, else the beginner's, else the game's first
    figure of its own: seats that play alike win alike under any rules.
    """
    figures = findings[0].figures
    if len(set(base.strategies)) > 1:
        return next(iter(figures))
    if FIRST in figures:
        return FIRST
    own = [metric.name for metric in base.find_game().metrics if metric.name in figures]
    return own[0] if own else next(iter(figures))


def _shown(base: Request, findings: list[Finding]) -> list[str]:
    """The figures for people: the headline and the game's own first ones.

    Seats that play alike win alike: their shares would say nothing about the rules.
    """
    headline = _headline(base, findings)
    own = [metric.name for metric in base.find_game().metrics]
    more = [name for name in own if name in findings[0].figures and name != headline]
    return [headline, *more[:1]]


def _publish(
    base: Request, findings: list[Finding], directory: RunDirectory, *, report: bool
) -> None:
    import pandas as pd

    from analyzer.statistics.wording import is_share
    from reports import write_chart

    rows = [
        {
            "setting": finding.variant.setting,
            "value": finding.variant.value,
            "figure": name,
            "estimate": figure.value,
            "low": figure.low,
            "high": figure.high,
        }
        for finding in findings
        for name, figure in finding.figures.items()
    ]
    directory.write_tables({"sensitivity": pd.DataFrame(rows)})
    name = _headline(base, findings)
    main = findings[0].figures[name].value
    shown = [f for f in findings[1:] if f.figures and f.figures[name].value is not None]
    if not report or main is None or not shown:
        return
    frame = pd.DataFrame(
        [
            {
                "label": finding.variant.label,
                "value": finding.figures[name].value,
                "low": finding.figures[name].low,
                "high": finding.figures[name].high,
                "said": _said(finding.figures[name], is_share(name)),
            }
            for finding in shown
        ]
    )
    frame = frame.astype({"value": float, "low": float, "high": float})
    frame.attrs.update(base=main, what=name.replace("_", " "), share=is_share(name))
    frame.attrs["title"] = _verdict(name, findings).rstrip(".")
    played = _played_games(findings)
    source = f"{base.find_game().title}, {base.players} players, {played} a variant, "
    with directory.staging() as folder:
        write_chart("assumptions", frame, folder, f"{source}seed {base.seed}")


def _said(figure: Estimate, share: bool) -> str:
    if figure.value is None:
        return "unknown"
    return f"{100 * figure.value:.2f}%" if share else f"{figure.value:.3f}"


def _answer(base: Request, findings: list[Finding]) -> str:
    """A sentence a figure: which assumption moves it most, if any is shown to."""
    return " ".join(_verdict(name, findings) for name in _shown(base, findings))


def _played_games(findings: list[Finding]) -> str:
    """How many games were played under each rule: ``100,000 games``."""
    from analyzer.statistics.wording import games

    played = [finding.games for finding in findings if finding.games]
    fewest, most = min(played), max(played)
    return games(most) if fewest == most else f"{fewest:,} to {games(most)}"


def _verdict(name: str, findings: list[Finding]) -> str:
    from analyzer.statistics.wording import is_share

    main = findings[0].figures[name]
    share = is_share(name)
    what = name.replace("_", " ")
    clear = [
        (abs((figure.value or 0.0) - (main.value or 0.0)), finding.variant.label, figure)
        for finding in findings[1:]
        if (figure := finding.figures.get(name)) is not None
        and _apart(_ends(main, share, findings[0].games), _ends(figure, share, finding.games))
    ]
    if not clear:
        return f"No assumption is shown to matter for the {what}, {_said(main, share)}."
    _, label, figure = max(clear, key=lambda found: found[0])
    change = f"from {_said(main, share)} to {_said(figure, share)}"
    return f"What moves the {what} most is {label}: {change}."


def _ends(figure: Estimate, share: bool, games: int) -> tuple[float, float] | None:
    """What the figure may be: its interval, if it has one.

    A figure that came out the same in every game has none, which says nothing against it: of a
    share that is Wilson's interval, and otherwise the value itself.
    """
    from analyzer.statistics.intervals import MIN_GAMES, wilson

    if figure.low is not None and figure.high is not None:
        return figure.low, figure.high
    if figure.value is None or games < MIN_GAMES:
        return None
    return wilson(figure.value * games, games) if share else (figure.value, figure.value)


def _apart(one: tuple[float, float] | None, other: tuple[float, float] | None) -> bool:
    """Whether the intervals do not meet."""
    return one is not None and other is not None and (other[0] > one[1] or other[1] < one[0])


def _tell(base: Request, findings: list[Finding], path: Path | None, *, json: bool) -> None:
    from analyzer.cli.output import emit_json, emit_tables, table
    from analyzer.statistics.wording import is_share

    if json:
        emit_json(_document(base, findings))
        return
    shown = _shown(base, findings)
    rows = []
    for finding in findings:
        cells = [
            _span(finding.figures[name], is_share(name)) if finding.figures else "refused"
            for name in shown
        ]
        rows.append((finding.variant.label, *cells))
    columns = ("assumption", *(name.replace("_", " ") for name in shown))
    parts = [f"{f.variant.label}: {f.variant.refused}" for f in findings if f.variant.refused]
    parts.append(
        f"{_played_games(findings)} of {base.game} with {base.players} players for each row, seed "
        f"{base.seed}; give or take half the width of the 95% interval."
    )
    if any(finding.precise is False for finding in findings):
        parts.append(
            "In some rows the games ended before the precision was reached; raise --games."
        )
    if path is not None:
        parts.append(f"Saved in {str(path)!r}.")
    answer = _answer(base, findings)
    emit_tables(table(columns, rows, columns[:1], columns[1:]), *parts, answer)


def _span(figure: Estimate, share: bool) -> str:
    text = _said(figure, share)
    if figure.low is None or figure.high is None:
        return text
    half = (figure.high - figure.low) / 2
    return f"{text} ±{100 * half:.2f}" if share else f"{text} ±{half:.3f}"


def _document(base: Request, findings: list[Finding]) -> dict[str, Any]:
    def figures(finding: Finding) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for name, figure in finding.figures.items():
            ends = None if figure.low is None else [figure.low, figure.high]
            key = name.replace(" ", "_")
            found |= {key: figure.value, f"{key}_ci": ends}
        return found

    return {
        "schema": "analyzer/sensitivity/1",
        "game": base.game,
        "players": base.players,
        "games": base.games,
        "seed": base.seed,
        "strategies": list(base.strategies),
        "rules": dict(base.rules),
        "variants": [
            {
                "setting": finding.variant.setting or None,
                "value": (
                    None
                    if finding.variant.request is None or not finding.variant.setting
                    else finding.variant.request.rules[finding.variant.setting]
                ),
                "label": finding.variant.label,
                "refused": finding.variant.refused or None,
                "games": finding.games,
                "precision_reached": finding.precise,
                "figures": figures(finding),
            }
            for finding in findings
        ],
        "answer": _answer(base, findings),
    }
