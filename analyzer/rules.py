"""The settings of a game: defaults, TOML files and ``--set``; strict, so that a typo is an error.

Whatever the source, a value is checked against its `Setting` before any game is played: unknown
names, wrong types, values out of range and settings that contradict each other are refused with
the reason.
"""

from __future__ import annotations

import difflib
import math
import os
import stat
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from analyzer.contracts import Game, Setting
from analyzer.errors import RulesError, UnknownName, UsageError

__all__ = [
    "Row",
    "check_players",
    "describe",
    "given_rules",
    "load_rules",
    "read_value",
    "settle",
    "shown",
    "toml_text",
]

MAX_BYTES = 20_000
"""A rules file is a page of text. Longer ones are something else, and a million dotted keys would
keep the TOML parser busy for hours."""

MAX_WIDTH = 60
MAX_REASON = 400
MAX_ITEMS = 10_000
LARGEST = 2**63 - 1


class Row(NamedTuple):
    """One setting as text, ready to be shown."""

    key: str
    default: str
    allowed: str
    meaning: str
    source: str
    alternatives: str


def load_rules(
    game: Game, players: int, file: Path | None = None, assignments: Sequence[str] = ()
) -> dict[str, Any]:
    """Every setting in force, from defaults, a rules file and ``KEY=VALUE`` texts.

    Parameters
    ----------
    game
        Whose settings they are.
    players
        Number of players; some defaults depend on it.
    file
        A TOML file with ``game = "..."`` (optional) and a table ``[rules]``.
    assignments
        ``KEY=VALUE`` texts; they win over the file.

    Returns
    -------
    dict
        Setting -> plain value, in the order in which the game lists its settings.

    Raises
    ------
    RulesError, UnknownName
        If anything is unreadable, unknown, mistyped, out of range or in contradiction.
    UsageError
        If the game is not for so many players.
    """
    return _complete(game, players, given_rules(game, file, assignments))


def given_rules(
    game: Game, file: Path | None = None, assignments: Sequence[str] = ()
) -> dict[str, Any]:
    """The settings that a rules file and ``KEY=VALUE`` texts give, and no others; see `load_rules`.

    Raises
    ------
    RulesError, UnknownName
        If anything is unreadable, unknown, mistyped or out of range.
    """
    chosen: dict[str, Any] = {}
    if file is not None:
        chosen |= _from_file(game, file)
    return chosen | _from_assignments(game, assignments)


def settle(game: Game, players: int, given: Mapping[str, Any]) -> dict[str, Any]:
    """Every setting in force, from defaults and Python or JSON values.

    Raises
    ------
    UsageError
        As `load_rules`.
    """
    chosen = {
        str(key): _checked(game, str(key), value, "the rules given") for key, value in given.items()
    }
    return _complete(game, players, chosen)


def describe(game: Game, players: int) -> tuple[Row, ...]:
    """All settings of a game with their defaults for a number of players.

    Raises
    ------
    UsageError
        If the game is not for so many players.
    """
    check_players(game, players)
    return tuple(
        Row(
            setting.key,
            toml_text(setting.default_for(players)),
            setting.range_text(),
            setting.meaning,
            setting.source,
            ", ".join(toml_text(value) for value in setting.alternatives),
        )
        for setting in game.settings
    )


def toml_text(value: Any) -> str:
    """A setting's value as one would write it in a rules file; long lists with their repeats."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key} = {toml_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        texts = [toml_text(item) for item in value]
        whole = "[" + ", ".join(texts) + "]"
        return whole if len(whole) <= MAX_WIDTH else "[" + ", ".join(_runs(texts)) + "]"
    return str(value)


def _runs(texts: Sequence[str]) -> list[str]:
    """Equal neighbors told once, with their number."""
    runs: list[tuple[str, int]] = []
    for text in texts:
        if runs and runs[-1][0] == text:
            runs[-1] = (text, runs[-1][1] + 1)
        else:
            runs.append((text, 1))
    return [text if count == 1 else f"{count} x {text}" for text, count in runs]


def _from_file(game: Game, file: Path) -> dict[str, Any]:
    where = f"rules file {str(file)!r}"

    def opener(name: str, flags: int) -> int:
        return os.open(name, flags | os.O_NONBLOCK)  # a pipe would keep us waiting

    try:
        with open(file, "rb", opener=opener) as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise ValueError("it is no regular file")
            content = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as reason:
        text = reason.strerror if isinstance(reason, OSError) else reason
        raise RulesError(f"{where} cannot be read: {text}. Give the path of a TOML file.") from None
    if len(content) > MAX_BYTES:
        raise RulesError(
            f"{where} is longer than {MAX_BYTES:,} bytes, which no rules file is; leave out all "
            f"settings that are as 'analyzer rules {game.name}' shows them."
        )
    try:
        data = tomllib.loads(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise RulesError(f"{where} is not UTF-8 text, which TOML has to be.") from None
    except RecursionError:
        raise RulesError(f"{where} is nested too deeply.") from None
    except ValueError as reason:  # a TOMLDecodeError, or a number of thousands of digits
        raise RulesError(f"{where} is not valid TOML: {_short(str(reason), MAX_REASON)}.") from None
    strange = sorted(data.keys() - {"game", "rules"})
    if strange:
        hint = 'Settings go into a table that begins with the line "[rules]".'
        raise UnknownName(f"entry of {where}", strange[0], ("game", "rules"), hint)
    if "game" in data and data["game"] != game.name:
        raise RulesError(
            f"{where} is for the game {shown(data['game'])}; this run plays {game.name!r}."
        )
    table = data.get("rules", {})
    if not isinstance(table, dict):
        raise RulesError(f"{where}: 'rules' must be a table [rules]; given {shown(table)}.")
    return {key: _checked(game, key, value, where) for key, value in table.items()}


def _from_assignments(game: Game, assignments: Sequence[str]) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    for assignment in assignments:
        if len(assignment) > MAX_BYTES:
            raise RulesError(
                f"--set is given {len(assignment):,} characters, and takes {MAX_BYTES:,}; "
                "write the setting shorter."
            )
        key, equals, text = assignment.partition("=")
        key = key.strip()
        if not equals or not key:
            raise RulesError(
                f"--set wants KEY=VALUE; given {shown(assignment)}. "
                f"'analyzer rules {game.name}' lists the keys."
            )
        value = read_value(game, key, text, "--set")
        if key in chosen and chosen[key] != value:
            raise RulesError(
                f"--set gives {key} twice, as {shown(chosen[key])} and as {shown(value)}; "
                "give it once."
            )
        chosen[key] = value
    return chosen


def read_value(game: Game, key: str, text: str, where: str) -> Any:
    """The value of one setting, as text on the command line.

    Raises
    ------
    UsageError
        If there is no such setting, or the value is not allowed; ``where`` says where it was given.
    """
    return _checked(game, key, _value_of(_find(game, key), text.strip()), where)


def _value_of(setting: Setting, text: str) -> Any:
    """What the text of a ``--set`` means: TOML, or bare words where the setting has words."""
    if setting.kind == "choice" and text in setting.choices:
        return text
    try:
        parsed = tomllib.loads(f"value = {text}")
    except RecursionError:
        raise RulesError(f"--set {setting.key}: {shown(text)} is nested too deeply.") from None
    except ValueError:
        return text
    # A line break in the text would smuggle in further entries.
    return parsed["value"] if len(parsed) == 1 else text


def _find(game: Game, key: str) -> Setting:
    for setting in game.settings:
        if setting.key == key:
            return setting
    raise UnknownName(
        f"setting of {game.name}",
        key,
        [setting.key for setting in game.settings],
        f"'analyzer rules {game.name}' lists them all.",
    )


def _checked(game: Game, key: str, value: Any, where: str) -> Any:
    """The canonical value of one setting, or the reason why not."""
    setting = _find(game, key)
    refusal = RulesError(
        f"{where}: {key} must be {setting.range_text()}; given {shown(value)}."
        + _near(setting, value)
    )
    if not _is_plain(value):
        raise refusal
    if setting.kind == "bool":
        if not isinstance(value, bool):
            raise refusal
        return value
    if setting.kind == "int":
        # In Python True is an int; in a rules file it is a mistake.
        if type(value) is not int or not setting.low <= value <= setting.high:
            raise refusal
        return value
    if setting.kind == "choice":
        if not isinstance(value, str) or value not in setting.choices:
            raise refusal
        return value
    if setting.parse is None:
        raise TypeError(f"setting {key} of {game.name} is custom and has no parse function")
    try:
        return setting.parse(value)
    except ValueError as reason:
        raise RulesError(f"{where}: {key} is refused: {_short(str(reason), MAX_REASON)}.") from None


def check_players(game: Game, players: int) -> None:
    """Refuse a number of players that a game is not for.

    Raises
    ------
    UsageError
        Saying how many it is for.
    """
    if not game.min_players <= players <= game.max_players:
        raise UsageError(
            f"{game.name} is for {game.min_players} to {game.max_players} players; given {players}."
        )


def _complete(game: Game, players: int, chosen: Mapping[str, Any]) -> dict[str, Any]:
    check_players(game, players)
    rules: dict[str, Any] = {}
    for setting in game.settings:
        if setting.key in chosen:
            rules[setting.key] = chosen[setting.key]
        elif setting.follows:
            rules[setting.key] = chosen.get(setting.follows, setting.default_for(players))
        else:
            rules[setting.key] = setting.default_for(players)
    game.check_rules(rules, players)
    return rules


def _is_plain(value: Any, depth: int = 0, budget: list[int] | None = None) -> bool:
    """Whether a value is made of sane numbers, words, lists and tables, and not endless ones."""
    budget = [MAX_ITEMS] if budget is None else budget
    budget[0] -= 1
    if depth > 8 or budget[0] < 0:
        return False
    if isinstance(value, (bool, str)):
        return True
    if isinstance(value, int):
        return -LARGEST <= value <= LARGEST
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, (list, tuple)):
        return all(_is_plain(item, depth + 1, budget) for item in value)
    if isinstance(value, Mapping):
        return all(_is_plain(item, depth + 1, budget) for item in value.values())
    return False


def _near(setting: Setting, value: Any) -> str:
    if not isinstance(value, str):
        return ""
    near = difflib.get_close_matches(value, setting.choices, n=1)
    return f" Did you mean {near[0]}?" if near else ""


def shown(value: Any) -> str:
    """A value that someone gave, in a message: no longer than a line."""
    try:
        return _short(repr(value))
    except (ValueError, RecursionError):  # Python refuses to write out ints of thousands of digits
        return "something too long to be shown"


def _short(text: str, width: int = MAX_WIDTH) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."
