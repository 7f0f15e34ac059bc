"""Hostile inputs through the whole program, as many as one likes: `tests/fuzzing.py` says which.

    python benchmarks/fuzz.py 1000
    python benchmarks/fuzz.py 10000 --seed 7 --pieces 10

Prints what went wrong, how the inputs ended, which took longest, and the most memory that was used.
Pieces run one after the other, each in a process of its own. Exits with 1 if anything was wrong.
"""

from __future__ import annotations

import argparse
import faulthandler
import gc
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from multiprocessing.connection import Connection
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))
os.environ |= {"MPLBACKEND": "Agg", "NO_COLOR": "1"}
os.environ.pop("COLUMNS", None)

MOST_MEMORY = 10**9
STUCK = 300
"""Seconds of machine code in one go, which nothing breaks off, until the stack is shown."""


def piece(seed_of: int, count: int, send: Connection) -> None:
    """Run inputs, and send what came of them."""
    from hypothesis import HealthCheck, Phase, given, seed, settings

    from tests.fuzzing import Attack, Sandbox, attacks, peak_memory, prepare

    results: list[dict[str, Any]] = []
    with TemporaryDirectory() as folder:
        saved = prepare(Path(folder) / "saved")
        sandbox = Sandbox(Path(folder) / "sandbox", saved)
        base = peak_memory()

        @seed(seed_of)
        @settings(
            max_examples=count,
            phases=(Phase.generate,),
            database=None,
            deadline=None,
            suppress_health_check=list(HealthCheck),
        )
        @given(attacks(saved))
        def attempt(attack: Attack) -> None:
            before = peak_memory()
            faulthandler.dump_traceback_later(STUCK, exit=True)
            outcome = sandbox.run(attack)
            faulthandler.cancel_dump_traceback_later()
            more = peak_memory() - before
            results.append(
                {
                    "words": [ascii(word)[1:-1][:90] for word in attack.words],
                    "attack": repr(attack) if outcome.faults else "",
                    "code": outcome.code,
                    "seconds": outcome.seconds,
                    "more_memory": more,
                    "faults": outcome.faults,
                    "err": outcome.err[-700:],
                }
            )

        attempt()
        gc.collect()
        send.send((results, base, peak_memory()))


def main() -> int:
    """Read the options, run the pieces, and tell what came of it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("inputs", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--pieces", type=int, default=0, help="default: one a thousand inputs")
    parser.add_argument(
        "--log", type=Path, help="every input and how it ended, a line of JSON each"
    )
    options = parser.parse_args()
    pieces = options.pieces or -(-options.inputs // 1000)
    codes: Counter[int] = Counter()
    started, done, wrong, peak, longest = time.monotonic(), 0, 0, 0, (0.0, "")
    context = multiprocessing.get_context("spawn")
    for number in range(pieces):
        count = options.inputs * (number + 1) // pieces - options.inputs * number // pieces
        receive, send = context.Pipe(duplex=False)
        worker = context.Process(target=piece, args=(options.seed + number, count, send))
        worker.start()
        send.close()
        try:
            results, base, most = receive.recv()
        except EOFError:
            worker.join()
            print(f"piece {number} (--seed {options.seed + number}) died: {worker.exitcode}")
            wrong += 1
            continue
        worker.join()
        peak = max(peak, most)
        for one in results:
            codes[one["code"]] += 1
            longest = max(longest, (one["seconds"], " ".join(one["words"])))
            if one["faults"]:
                wrong += 1
                print(f"\n{'; '.join(one['faults'])}\n  {' '.join(one['words'])}\n  {one['err']}")
            if options.log:
                with options.log.open("a") as log:
                    log.write(json.dumps({"piece": number, **one}) + "\n")
        done += len(results)
        told = ", ".join(f"{code}: {many:,}" for code, many in sorted(codes.items()))
        print(
            f"{done:,} inputs in {time.monotonic() - started:,.0f} s, {wrong} wrong; exit codes "
            f"{told}; longest {longest[0]:.1f} s; memory {base / 1e6:,.0f} MB before the first "
            f"input, at most {peak / 1e6:,.0f} MB",
            flush=True,
        )
    print(f"the longest: {longest[0]:.2f} s, {longest[1]}")
    return 1 if wrong or peak > MOST_MEMORY else 0


if __name__ == "__main__":
    sys.exit(main())
