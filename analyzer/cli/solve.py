"""``analyzer solve GAME``: the best way to play, worked out without chance."""

from __future__ import annotations

import hashlib
import json as json_module
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from analyzer.cli.options import (
    Assignments,
    DebugOptions,
    Force,
    GameName,
    NoSave,
    Quiet,
    RulesFile,
    out_option,
    players_option,
    spread,
)
from analyzer.errors import AnalyzerError, Interrupted, ResultsError, UsageError

if TYPE_CHECKING:
    import pandas as pd

    from analyzer.games.switch16.exact.chain import Shares
    from analyzer.games.switch16.exact.policies import PolicyTable
    from analyzer.games.switch16.exact.states import Setup
    from analyzer.rundir import RunDirectory

__all__ = ["report", "run"]

GAME = "switch16"
STRATEGY_FILE = '''"""A strategy that plays the table beside this file: {name}."""

from pathlib import Path

from analyzer_strategies.switch16 import from_table

solved = from_table(
    Path(__file__).with_name("policy"),
    "{digest}",
)
'''
"""So that a table can be played by its path, like any strategy of one's own."""


@dataclass(frozen=True)
class SolveOptions(DebugOptions):
    """What is to be solved, and where it goes."""

    players: Annotated[
        int | None, players_option("; more than two need --against. Default: 2.")
    ] = None
    against: Annotated[
        list[str] | None,
        typer.Option(
            metavar="SPEC",
            help="Look for the best response to this combination of baseline policies, such as "
            "greedy/leader/deny:16; once for all opponents, or once per opponent.",
        ),
    ] = None
    rules: RulesFile = None
    set: Assignments = None
    out: Annotated[Path | None, out_option("GAME-solve-HASH")] = None
    force: Force = False
    no_save: NoSave = False
    quiet: Quiet = False


@dataclass(frozen=True)
class Solution:
    """What was found.

    ``gain`` is what a seat could add by deviating (None for a best response); ``stopping`` has a
    row for every pair of own and opponents' top cards, the disc being in the tray.
    """

    setup: Setup
    against: tuple[str, ...]
    policy: PolicyTable
    shares: Shares
    gain: float | None
    stopping: pd.DataFrame

    @property
    def answer(self) -> str:
        """One plain sentence."""
        stops = int((~self.stopping["again"]).sum())
        habit = (
            "never stops of its own accord"
            if stops == 0
            else f"stops in {stops} of {len(self.stopping)} situations"
        )
        if not self.against:
            return (
                "Between two perfect players whoever begins wins "
                f"{100 * self.shares.first_player_win_share:.2f}% of games, which last "
                f"{self.shares.turns:.2f} turns on average; perfect play {habit}."
            )
        table = " + ".join(dict.fromkeys(self.against))
        return (
            f"The best answer to {table} wins {100 * self.shares.win_share[0]:.2f}% of games, "
            f"where an equal share is {100 / self.setup.players:.4g}%; it {habit}."
        )


@spread(SolveOptions)
def run(options: SolveOptions, game: GameName) -> None:
    """Work out optimal play for two, or the best response to given opponents."""
    from analyzer.cli.errand import command_line

    try:
        _carry_out(options, game)
    except KeyboardInterrupt:
        again = command_line("solve", game, options)
        raise Interrupted(f"interrupted. Work it out again with:\n  {again}") from None


def _carry_out(options: SolveOptions, game: str) -> None:
    import analyzer.games.switch16.exact.chain  # noqa: F401 - so that its kernels can be asked about
    from analyzer.cli.output import note
    from analyzer.games.switch16.exact.states import Setup
    from analyzer.kernels.compilation import is_cold
    from analyzer.plugins import find_game
    from analyzer.rules import load_rules

    found = find_game(game)
    if found.name != GAME:
        raise UsageError(
            f"{found.name} cannot be solved: too much is hidden in it. {GAME} can; "
            f"`analyzer simulate {found.name}` plays what strategies there are."
        )
    if options.no_save and (options.out is not None or options.force):
        raise UsageError("--no-save writes nothing, so --out and --force have no meaning with it.")
    against = tuple(options.against or ())
    players = options.players
    if players is None:
        players = len(against) + 1 if len(against) > 1 else 2
    rules = load_rules(found, players, options.rules, options.set or ())
    against = _opponents(against, players)
    setup = Setup.from_rules(rules, players)
    if not options.quiet and is_cold("analyzer.games.switch16.exact.chain"):
        note("compiling the solver for this machine, once: this takes some seconds")
    solution = _solve(setup, against)
    path = None if options.no_save else _save(solution, rules, options)
    _tell(solution, rules, path, json=options.json)


def report(claimed: RunDirectory, path: Path, *, json: bool) -> None:
    """Draw a saved solution again; it is worked out anew, which needs no chance and little time.

    Raises
    ------
    ResultsError
        If it is not described as a solution of ours.
    """
    from analyzer.games.switch16.exact.states import Setup
    from analyzer.plugins import find_game
    from analyzer.rules import settle

    try:
        asked = claimed.saved.identity["solve"]
        players = asked["players"]
        rules = settle(find_game(GAME), players, asked["rules"])
        against = _opponents(tuple(asked["against"]), players)
        solution = _solve(Setup.from_rules(rules, players), against)
    except (AttributeError, KeyError, TypeError, ValueError, UsageError) as reason:
        raise ResultsError(
            f"the description of the saved solution is damaged ({type(reason).__name__}: {reason})."
        ) from None
    _publish(solution, claimed)
    _tell(solution, rules, path, json=json)


def _opponents(against: tuple[str, ...], players: int) -> tuple[str, ...]:
    if not against:
        if players != 2:
            raise UsageError(
                f"optimal play is solved for 2 players; with {players} there is no such thing. "
                "Give --against SPEC to look for the best response to given opponents."
            )
        return ()
    if players > 3:
        raise UsageError(
            "best responses are worked out for 2 or 3 players; with 4 that would take an hour. "
            "Give --players 3 or fewer."
        )
    if len(against) not in (1, players - 1):
        raise UsageError(
            f"--against is given {len(against)} times for {players - 1} opponents; give it once "
            "for all of them, or once per opponent."
        )
    return against if len(against) == players - 1 else against * (players - 1)


def _solve(setup: Setup, against: tuple[str, ...]) -> Solution:
    from analyzer.games.switch16.exact.advice import risk_values
    from analyzer.games.switch16.exact.policies import baseline
    from analyzer.games.switch16.exact.solver import best_response, equilibrium

    gain = None
    others = [baseline(spec, setup) for spec in against]
    try:
        if others:
            response = best_response(setup, [None, *others])
            policy, shares = response.policy, response.shares
            table = [policy, *others]
        else:
            solved = equilibrium(setup)
            policy, shares, gain = solved.policy, solved.shares, solved.gain
            table = [policy, policy]
        worth = risk_values(setup, table)
    except UsageError:
        raise
    except AnalyzerError as reason:
        raise UsageError(f"these rules cannot be solved: {reason}") from None
    stopping = _stopping(setup, policy, worth.again - worth.stop)
    return Solution(setup, against, policy, shares, gain, stopping)


def _stopping(setup: Setup, policy: PolicyTable, gain: Any) -> pd.DataFrame:
    """A row for every own and opponents' deck (all opponents alike), the disc in the tray."""
    import pandas as pd

    from analyzer.games.switch16.exact.states import TRAY

    tops, protections = setup.tops(), setup.protections()
    names = [
        f"{top}{'*' if protected and top <= setup.milestone else ''}"
        for top, protected in zip(tops, protections, strict=True)
    ]
    rows = []
    for mine in range(1, setup.decks):
        for theirs in range(setup.decks):
            decks = mine
            for _ in range(setup.players - 1):
                decks = decks * setup.decks + theirs
            rows.append(
                {
                    "mine": names[mine],
                    "theirs": names[theirs],
                    "own_top": int(tops[mine]),
                    "own_protected": bool(protections[mine]),
                    "opponent_top": int(tops[theirs]),
                    "opponent_protected": bool(protections[theirs]),
                    "again": bool(policy.risk[TRAY, decks]),
                    "gain": float(gain[TRAY, decks]),
                }
            )
    columns = ["mine", "theirs", "own_top", "own_protected", "opponent_top", "opponent_protected"]
    return pd.DataFrame(rows, columns=[*columns, "again", "gain"])


def _save(solution: Solution, rules: dict[str, Any], options: SolveOptions) -> Path:
    from analyzer.cli.errand import about
    from analyzer.rundir import Wish, claim
    from analyzer.version import __version__

    asked = {"game": GAME, "players": solution.setup.players, "rules": rules}
    identity = {"version": __version__, "solve": asked | {"against": list(solution.against)}}
    text = json_module.dumps(identity, sort_keys=True)
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    path = options.out or Path("results") / f"{GAME}-solve-{digest}"
    wish = Wish(identity, about("solve", GAME, options), force=options.force)
    with claim(path, wish) as directory:
        if directory.state != "finished":
            directory.finish()
        files = directory.saved.manifest["files"]
        if directory.writable and ("policy.npz" not in files or directory.saved.damage()):
            _publish(solution, directory)
    return path


def _publish(solution: Solution, directory: RunDirectory) -> None:
    import pandas as pd

    from analyzer.games.switch16.exact.policies import save_policy
    from analyzer_reports import write_chart

    decisions = ("risk", "place", "green", "block", "lay")
    # With three players the tables of throws have a million rows, which nobody reads.
    shown = decisions if solution.setup.players == 2 else decisions[:2]
    tables = {name: pd.DataFrame(solution.policy.rows(name)) for name in shown}
    directory.write_tables({"when_to_stop": solution.stopping, **tables})
    rows = solution.stopping[["mine", "theirs", "again", "gain"]].copy()
    two = solution.setup.players == 2
    rows.attrs["who"] = "the best answer" if solution.against else "optimal play"
    rows.attrs["opponents"] = "opponent's top card" if two else "top card of all opponents"
    against = f" against {' + '.join(solution.against)}" if solution.against else ""
    source = f"Switch 16, {solution.setup.players} players{against}; solved exactly"
    with directory.staging() as folder:
        data, _ = save_policy(solution.policy, folder / "policy")
        digest = hashlib.sha256(data.read_bytes()).hexdigest()
        text = STRATEGY_FILE.format(name=solution.policy.name, digest=digest)
        (folder / "policy.py").write_text(text, encoding="utf-8")
        write_chart("games.switch16.charts.stopping", rows, folder, source)


def _document(solution: Solution, rules: dict[str, Any]) -> dict[str, Any]:
    rows = solution.stopping.drop(columns=["mine", "theirs"])
    return {
        "schema": "analyzer/solve/1",
        "game": GAME,
        "players": solution.setup.players,
        "rules": rules,
        "against": list(solution.against),
        "win_share": [float(share) for share in solution.shares.win_share],
        "first_player_win_share": solution.shares.first_player_win_share,
        "turns_per_game": solution.shares.turns,
        "gain_by_deviating": solution.gain,
        "error": solution.shares.error,
        "when_to_stop": rows.to_dict(orient="records"),
        "answer": solution.answer,
    }


def _how_to_play(solution: Solution, path: Path | None) -> str:
    """The command that lets the solution play, as one would type it."""
    if not solution.against:
        return f"analyzer simulate {GAME} --players 2 --strategy optimal"
    if path is None:
        return f"analyzer simulate {GAME}, once it is saved"
    folder = path.as_posix() if path.is_absolute() else f"./{path.as_posix()}"
    specs = [f"{folder}/policy.py::solved", *solution.against]
    return shlex.join(
        ["analyzer", "simulate", GAME, *(w for s in specs for w in ("--strategy", s))]
    )


def _tell(solution: Solution, rules: dict[str, Any], path: Path | None, *, json: bool) -> None:
    from analyzer.cli.output import emit_json, emit_tables, table

    if json:
        emit_json(_document(solution, rules))
        return
    rows = []
    for mine, part in solution.stopping.groupby("mine", sort=False):
        stops = list(part["theirs"][~part["again"]])
        if not stops:
            advice = "throw again"
        elif len(stops) == len(part):
            advice = "stop"
        else:
            advice = f"stop if the opponent shows {', '.join(stops)}"
        least, most = 100 * part["gain"].min(), 100 * part["gain"].max()
        rows.append((str(mine), advice, f"{least:+.1f} to {most:+.1f}"))
    columns = ("own top card", "what to do", "points of win chance for one more throw")
    said = [f"seat {i}: {100 * x:.4f}%" for i, x in enumerate(solution.shares.win_share, start=1)]
    parts = [
        f"Win chances, exact: {', '.join(said)}; who begins: "
        f"{100 * solution.shares.first_player_win_share:.4f}%."
    ]
    if solution.gain is not None:
        parts.append(f"No seat could gain more than {solution.gain:.1g} by playing otherwise.")
    if any("*" in row[0] for row in rows):
        parts.append("A star marks a protected deck that shows the milestone again.")
    if path is not None:
        parts.append(f"Saved in {str(path)!r}: policy.npz, when-to-stop.png and tables.")
    parts.append(f"Play it with: {_how_to_play(solution, path)} (and the same rules).")
    emit_tables(table(columns, rows, ("own top card",), columns[2:]), *parts, solution.answer)
