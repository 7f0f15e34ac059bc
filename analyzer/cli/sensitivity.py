"""``analyzer sensitivity GAME``: how far the answers depend on what the rules leave open."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from analyzer.cli.options import GameName, RunOptions, spread

if TYPE_CHECKING:
    from analyzer.rundir import RunDirectory
    from analyzer.statistics.sensitivity import Comparison, Varied
    from analyzer.statistics.tables import Estimate
    from analyzer.study.sensitivity import Sensitivity, Variant


@spread(RunOptions)
def run(options: RunOptions, game: GameName) -> None:
    """Vary each assumption about the rules, one at a time, and compare the answers."""
    from analyzer.cli.runs import RunPlan, carry_out, seed_of
    from analyzer.cli.setup import check_run_options, request_from
    from analyzer.publishing import draw_comparison, publish_comparison
    from analyzer.rundir import default_path
    from analyzer.study import sensitivity

    check_run_options(options)
    base = request_from("simulate", game, options, seed=seed_of(options))
    plan = sensitivity.plan(base)
    usual_path = default_path(base.game, "sensitivity", base.seed, plan.digest())

    run_plan = RunPlan(
        command="sensitivity",
        request=base,
        identity=plan.identity(),
        path=options.out or usual_path,
        files=("tables/sensitivity.csv", "report.html"),
        conclude=partial(sensitivity.conclude, plan),
        tables=publish_comparison,
        draw=draw_comparison,
        tell=partial(_tell, json=options.json, markdown=options.markdown),
    )
    carry_out(run_plan, options)


def report(claimed: RunDirectory, path: Path, *, json: bool) -> None:
    """Draw a saved comparison again, without playing.

    Raises
    ------
    ResultsError
        If the assumptions as they are were not played, or it is damaged.
    """
    from analyzer import study
    from analyzer.cli.runs import draw_again
    from analyzer.publishing import draw_comparison, publish_comparison
    from analyzer.study import sensitivity

    base = study.Request.from_json(claimed.saved.identity.get("request", {}))
    plan = sensitivity.saved_plan(base, claimed.saved.identity)
    conclude = partial(sensitivity.conclude, plan)
    draw_again(claimed, path, conclude, publish_comparison, draw_comparison, _tell, json=json)


def _tell(found: Sensitivity, *, json: bool = False, markdown: bool = False) -> None:
    from analyzer.cli.output import emit_json, emit_tables, table
    from analyzer.statistics.wording import plural

    if json:
        emit_json(_document(found))
        return
    base, comparison = found.base, found.comparison
    shown = comparison.headlines
    verdicts = {label: verdict for label, (verdict, _) in found.verdicts.items()}
    usual = comparison.usual.label
    rows = [(usual, verdicts[usual], *(_span(comparison, name) for name in shown))]
    rows += [
        (variant.label, verdicts.get(variant.label, ""), *_cells(comparison, varied))
        for variant, varied in found.variants
    ]
    columns = ("assumption", "verdict", *(comparison.named(name) for name in shown))
    parts = [f"{v.label}: {v.refused}" for v, _ in found.variants if v.refused]
    fewest, most = found.games
    points = ", of shares in percentage points" if comparison.shares & set(shown) else ""
    parts.append(
        f"{found.played} of {base.game} with {base.players} players for each row, seed "
        f"{base.seed}; give or take half the width of the 95% interval. In brackets the "
        f"change{points}; the intervals of all changes hold together."
    )
    if fewest != most:
        parts.append("Rows with other numbers of games are not compared game by game.")
    runs = (comparison.usual, *comparison.variants)
    if any(varied.precise is False for varied in runs):
        parts.append(
            f"In some rows the {plural(comparison.units[1])} ended before the precision was "
            "reached; raise --games."
        )
    figures = table(columns, rows, columns[:1], columns[2:])
    emit_tables(figures, *parts, found.answer, markdown=markdown)


def _cells(found: Comparison, varied: Varied | None) -> list[str]:
    """Each headline and its change."""
    if varied is None:
        return ["refused"] * len(found.headlines)
    return [
        f"{found.said(name, varied.figures[name])} "
        f"({found.said_change(name, varied.changes[name].estimate)})"
        for name in found.headlines
    ]


def _span(found: Comparison, name: str) -> str:
    """A figure as assumed and half its interval."""
    figure = found.usual.figures[name]
    text = found.said(name, figure)
    if figure.low is None or figure.high is None:
        return text
    half = (figure.high - figure.low) / 2
    return f"{text} ±{100 * half:.2f}" if name in found.shares else f"{text} ±{half:.3f}"


def _document(found: Sensitivity) -> dict[str, Any]:
    from analyzer.study.sensitivity import Variant

    base, comparison = found.base, found.comparison
    return {
        "schema": "analyzer/sensitivity/1",
        "game": base.game,
        "players": base.players,
        "games": base.games,
        "seed": base.seed,
        "strategies": list(base.strategies),
        "rules": dict(base.rules),
        "variants": [
            _row(Variant("", "", comparison.usual.label, base), comparison.usual, found),
            *(_row(variant, varied, found) for variant, varied in found.variants),
        ],
        "answer": found.answer,
    }


def _row(variant: Variant, varied: Varied | None, found: Sensitivity) -> dict[str, Any]:
    """One variant; without a setting the rules as assumed."""
    request = variant.request
    changes = {} if varied is None else varied.changes
    return {
        "setting": variant.setting or None,
        "value": request.rules[variant.setting] if request and variant.setting else None,
        "label": variant.label,
        "refused": variant.refused or None,
        "verdict": None if varied is None else found.verdicts[variant.label][0],
        "games": 0 if varied is None else varied.games,
        "precision_reached": None if varied is None else varied.precise,
        "figures": {} if varied is None else _figures(varied.figures),
        "changes": _figures({name: change.estimate for name, change in changes.items()}),
        "shown_to_change": [_key(name) for name, change in changes.items() if change.shown],
        "paired": None if not changes else all(change.paired for change in changes.values()),
    }


def _figures(figures: Mapping[str, Estimate]) -> dict[str, Any]:
    """Every figure with its interval beside it."""
    found: dict[str, Any] = {}
    for name, figure in figures.items():
        ends = None if figure.low is None else [figure.low, figure.high]
        found |= {_key(name): figure.value, f"{_key(name)}_ci": ends}
    return found


def _key(name: str) -> str:
    return name.replace(" ", "_")
