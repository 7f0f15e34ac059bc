"""From options to a request: who plays, by which rules, how often."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from analyzer.cli.options import RunOptions, TableOptions, policy_option, rule_option
from analyzer.contracts import Game
from analyzer.errors import UsageError
from analyzer.plugins import find_game
from analyzer.rules import given_rules, load_rules, read_value
from analyzer.study import (
    DEFAULT_GAMES,
    Command,
    Request,
    asked_tables,
    combined,
    make_request,
    one_a_seat,
)


def request_from(
    command: Command,
    game_name: str,
    options: TableOptions,
    *,
    seed: int,
    fields: Sequence[str] = (),
    suggest: bool = False,
    margin: float | None = None,
) -> Request:
    """Everything that a command line asks for.

    Raises
    ------
    UsageError
        If anything is unknown, out of range or in contradiction.
    """
    game = find_game(game_name)
    named, tables = given_strategies(game, options), [field.split("+") for field in fields] or None
    specs = one_a_seat(game, named, options.players)
    rules = load_rules(game, len(specs), options.rules, assignments(game, options))
    others: Sequence[Sequence[str]] = ()
    if command == "fairness":
        specs, others = asked_tables(game, named, options.players, rules, tables)
    return make_request(
        command,
        game,
        strategies=specs,
        rules=rules,
        games=options.games or DEFAULT_GAMES,
        seed=seed,
        rotate=options.rotate,
        precision=options.precision if isinstance(options, RunOptions) else None,
        fields=others,
        suggest=suggest,
        margin=margin,
    )


def given_table(game: Game, options: TableOptions) -> tuple[tuple[str, ...], dict[str, Any]]:
    """The specs that were given, and the settings that were given, without any others.

    Raises
    ------
    UsageError
        If anything is unknown, out of range or in contradiction.
    """
    rules = given_rules(game, options.rules, assignments(game, options))
    return tuple(given_strategies(game, options)), rules


def given_strategies(game: Game, options: TableOptions) -> Sequence[str]:
    """Specs as given, whole or in parts."""
    given = options.game_options
    policies = {
        family: given[policy_option(family)]
        for family in game.families
        if policy_option(family) in given
    }
    if not policies:
        return options.strategy or ()
    if options.strategy:
        raise UsageError(
            f"--strategy names whole strategies and {policy_option(next(iter(policies)))} a part "
            "of them; leave one out. The parts are joined by slashes in --strategy, in this order: "
            f"{', '.join(game.families)}."
        )
    return combined(game, policies)


def assignments(game: Game, options: TableOptions) -> list[str]:
    """Rules set one by one."""
    assignments = list(options.set or ())
    keys = {text.partition("=")[0].strip() for text in assignments}
    for rule in (setting.key for setting in game.settings if setting.option):
        option = rule_option(rule)
        for text in options.game_options.get(option, ()):
            if rule in keys:
                raise UsageError(
                    f"{option} sets the rule {rule}, and so does --set; leave one out."
                )
            read_value(game, rule, text, option)
            assignments.append(f"{rule}={text}")
    return assignments


def check_run_options(options: RunOptions) -> None:
    """Refuse options that contradict each other.

    Raises
    ------
    UsageError
        Naming both.
    """
    saving = {"--out": options.out, "--resume": options.resume, "--force": options.force}
    for name, given in saving.items():
        if options.no_save and given:
            raise UsageError(f"--no-save writes nothing, so {name} has no meaning; leave one out.")
    refuse_two_forms(options.json, options.markdown)
    if options.resume and options.force:
        raise UsageError("--resume continues a run and --force replaces it; leave one out.")
    if options.resume and options.out is None and options.seed is None:
        raise UsageError("--resume needs --out or --seed, to know which run to continue.")
    if options.scheduler is not None and options.backend != "dask":
        raise UsageError("--scheduler is for --backend dask; add that, or leave it out.")
    if options.backend == "dask":
        _require_dask()


def refuse_two_forms(json: bool, markdown: bool) -> None:
    """Refuse to tell the same in two ways.

    Raises
    ------
    UsageError
        If both are asked for.
    """
    if json and markdown:
        raise UsageError(
            "--json prints one document and --markdown tables to paste; leave one out."
        )


def _require_dask() -> None:
    import importlib.util

    if importlib.util.find_spec("distributed") is None:
        raise UsageError(
            "--backend dask needs the package distributed, which is not installed; "
            "install it with: pip install 'analyzer[dask]'."
        )
