"""Options that a game's declaration brings: for parts of its strategies, and for some rules."""

from __future__ import annotations

import contextlib
import inspect
from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperOption

from analyzer.cli.options import GAME_OPTIONS, policy_option, rule_option
from analyzer.errors import AnalyzerError, PluginError, UsageError

if TYPE_CHECKING:
    from analyzer.contracts import Game

NAMED = "analyzer.game_named"
DECLARED = "analyzer.game_options_declared"
"""Where a context keeps which game is named, and the options that it declares."""


class Declared(NamedTuple):
    """An option as a game declares it; ``policy`` if it is for a part of strategies."""

    name: str
    metavar: str
    help: str
    policy: bool


class GameCommand(TyperCommand):
    """A command that has the options of the game it is given, besides its own.

    A game takes a second to load. That is done only if help is asked for together with a game, or
    if something is given that is none of the command's own options.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        """Its own ones, those that the game declares, and help."""
        params = super().get_params(ctx)
        end = len(self.params)
        return [*params[:end], *ctx.meta.get(DECLARED, ()), *params[end:]]

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse, with what the game declares; see `spread` for how a command gets it."""
        ctx.meta[NAMED], unknown, help_wanted = self._survey(ctx, args)
        if unknown or (help_wanted and ctx.meta[NAMED] is not None):
            try:
                self._declare(ctx, unknown)
            except AnalyzerError:
                if not ctx.resilient_parsing:  # whoever completes a line in the shell sees no error
                    raise
        rest = super().parse_args(ctx, args)
        given = {}
        for parameter in ctx.meta.get(DECLARED, ()):
            value = ctx.params.pop(parameter.name)
            given[parameter.opts[0]] = [value] if isinstance(value, str) else list(value or ())
        ctx.meta[GAME_OPTIONS] = {name: values for name, values in given.items() if values}
        return rest

    def shell_complete(self, ctx: Any, incomplete: str) -> list[Any]:
        """Complete the names of options, the game's included."""
        if incomplete.startswith("-") and DECLARED not in ctx.meta:
            with contextlib.suppress(AnalyzerError):
                self._declare(ctx, [])
        return super().shell_complete(ctx, incomplete)

    def format_epilog(self, ctx: Any, formatter: Any) -> None:
        """Say where the options of games are listed, unless they are."""
        if DECLARED not in ctx.meta:
            formatter.write_paragraph()
            formatter.write_text(
                "Games may have options of their own, such as --PART-policy for one part of their "
                f"strategies: '{ctx.command_path} GAME --help' lists them as well."
            )

    def _survey(self, ctx: Any, args: list[str]) -> tuple[str | None, list[str], bool]:
        """Which game is named, which options are not the command's own, whether help is wanted."""
        flags = {
            name: parameter.is_flag
            for parameter in super().get_params(ctx)
            if isinstance(parameter, TyperOption)
            for name in parameter.opts
        }
        game, unknown, help_wanted = None, [], False
        words = iter(args)
        for word in words:
            name, equals, _ = word.partition("=")
            if word == "--":
                game = game or next(words, None)
                break
            if not word.startswith("-"):
                game = game or word
                continue
            if name not in flags and name.startswith("--"):
                unknown.append(name)
            help_wanted |= word in ctx.help_option_names
            if not equals and not flags.get(name, not name.startswith("--")):
                next(words, None)
        return game, unknown, help_wanted

    def _declare(self, ctx: Any, unknown: list[str]) -> None:
        """Look the game's options up, and refuse those given that only other games have.

        Where no game is named, or an unknown one, the options of all are taken, so that the command
        itself can say what is wrong.

        Raises
        ------
        UsageError, PluginError
            If an option is none of this game's, or the game's declaration is wrong.
        """
        from analyzer.plugins import find_game, game_names

        if ctx.meta[NAMED] in game_names():
            game = find_game(ctx.meta[NAMED])
            found = _declared_by([game])
            for name in unknown:
                if name not in found:
                    _refuse(name, game)
        elif unknown:
            found = _declared_by(_games())
        else:
            return
        own = {name for parameter in self.params for name in parameter.opts}
        for name in found.keys() & own:
            raise PluginError(
                f"the game {ctx.meta[NAMED]} declares an option {name}, which "
                f"'{ctx.command_path}' has already; the game's author has to rename it."
            )
        ctx.meta[DECLARED] = _parameters(found.values())


def _games() -> list[Game]:
    """All games that can be loaded."""
    from analyzer.plugins import loadable_games

    return loadable_games()[0]


def _declared_by(games: Iterable[Game]) -> dict[str, Declared]:
    """Options by name."""
    found = {}
    for game in games:
        for family in game.families:
            text = (
                f"The {family} part of strategies, instead of --strategy; once for all seats, or "
                "once per seat."
            )
            option = Declared(policy_option(family), "POLICY", text, True)
            found[option.name] = option
        for setting in game.settings:
            if setting.option:
                text = f"The rule {setting.key}: {setting.meaning}. It is {setting.range_text()}."
                metavar = "N" if setting.kind == "int" else "VALUE"
                option = Declared(rule_option(setting.key), metavar, text, False)
                found[option.name] = option
    return found


def _refuse(name: str, game: Game) -> None:
    """Refuse an option that other games have; what no game has is left to the parser."""
    others = [other for other in _games() if name in _declared_by([other])]
    if not others:
        return
    if _declared_by(others)[name].policy:
        parts = ", ".join(game.families) or "none: use --strategy"
        raise UsageError(
            f"{name} is for games whose strategies consist of parts; {game.name} has {parts}."
        )
    raise UsageError(
        f"{name} sets a rule of {', '.join(other.name for other in others)}; {game.name} has none "
        "of that name."
    )


def _parameters(options: Iterable[Declared]) -> list[Any]:
    """The options as typer makes them of a command's signature."""

    def command(**given: Any) -> None:
        """Only its signature matters."""

    parameters = [
        inspect.Parameter(
            f"game_option_{number}",
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                list[str] | None if option.policy else str | None,
                typer.Option(option.name, metavar=option.metavar, help=option.help),
            ],
        )
        for number, option in enumerate(options)
    ]
    # What inspect and typer read; functions have it, though their type does not say so.
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters}
    app = typer.Typer(add_completion=False)
    app.command()(command)
    return list(typer.main.get_command(app).params)
