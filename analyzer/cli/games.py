"""``analyzer games``: the games there are."""

from __future__ import annotations

from analyzer.cli.options import DebugOptions, spread


@spread(DebugOptions)
def run(options: DebugOptions) -> None:
    """List the games."""
    from analyzer.cli.output import emit_json, emit_tables, table
    from analyzer.plugins import loadable_games

    games, broken = loadable_games()
    if options.json:
        emit_json(
            {
                "schema": "analyzer/games/1",
                "games": [
                    {
                        "game": game.name,
                        "title": game.title,
                        "question": game.question,
                        "min_players": game.min_players,
                        "max_players": game.max_players,
                        "default_players": game.default_players,
                        "default_strategy": game.default_strategy,
                    }
                    for game in games
                ],
                "broken": [{"game": name, "reason": str(why)} for name, why in broken.items()],
            }
        )
        return
    rows = [
        (game.name, game.title, f"{game.min_players}-{game.max_players}", game.question)
        for game in games
    ]
    emit_tables(
        table(("game", "title", "players", "question"), rows, whole=("game", "players")),
        *(f"{name}: {why}" for name, why in broken.items()),
        "Answer a game's question with 'analyzer fairness GAME'.",
    )
