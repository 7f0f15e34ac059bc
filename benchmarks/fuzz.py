"""Hostile inputs through the whole program, as many as one likes: `tests/fuzzing.py` says which.

    python benchmarks/fuzz.py 1000
    python benchmarks/fuzz.py 10000 --seed 7 --log fuzz.jsonl

Prints what went wrong, how the inputs ended, which took longest, and the most memory that was used.
A thousand at a time are run in a process of its own. Exits with 1 if anything was wrong.
"""

from __future__ import annotations

import argparse
import faulthandler
import json
import multiprocessing
import os
import sys
import time
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))
os.environ |= {"MPLBACKEND": "Agg", "NO_COLOR": "1"}
os.environ.pop("COLUMNS", None)

PIECE = 1000
MOST_MEMORY = 10**9
STUCK = 300
"""Seconds of machine code in one go, which nothing breaks off, until the stack is shown."""


def piece(folder: Path, seed_of: int, count: int, log: Path) -> None:
    """Run inputs; a line of JSON for each says what came of it."""
    from hypothesis import HealthCheck, Phase, given, seed, settings

    from tests.fuzzing import Attack, Sandbox, attacks, peak_memory, prepare

    saved = prepare(folder / "saved")
    if not count:
        return
    sandbox = Sandbox(folder / f"sandbox-{seed_of}", saved)

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
        faulthandler.dump_traceback_later(STUCK, exit=True)
        outcome = sandbox.run(attack)
        faulthandler.cancel_dump_traceback_later()
        told = {
            "words": [ascii(word)[1:-1][:90] for word in attack.words],
            "code": outcome.code,
            "seconds": round(outcome.seconds, 3),
            "memory": peak_memory(),
            "faults": outcome.faults,
            "attack": repr(attack)[:100_000] if outcome.faults else "",
            "err": ascii(outcome.err[-700:])[1:-1],
        }
        with log.open("a") as stream:
            stream.write(json.dumps(told) + "\n")

    attempt()


def main() -> int:
    """Read the options, run the inputs, and tell what came of them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("inputs", type=int)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--log", type=Path, help="a line of JSON for every input")
    options = parser.parse_args()
    codes: Counter[int] = Counter()
    started, done, wrong, peak, longest = time.monotonic(), 0, 0, 0, (0.0, "")
    context = multiprocessing.get_context("spawn")
    with TemporaryDirectory() as folder:
        log = options.log or Path(folder) / "log"
        log.touch()
        # The runs that are tampered with come first: what compiling takes is no input's fault.
        for first in (-1, *range(0, options.inputs, PIECE)):
            count = min(PIECE, options.inputs - first) if first >= 0 else 0
            before = log.stat().st_size
            arguments = Path(folder), options.seed + first, count, log
            worker = context.Process(target=piece, args=arguments)
            worker.start()
            worker.join()
            if worker.exitcode:
                print(f"the process of inputs {first} and on has died: {worker.exitcode}")
                wrong += 1
            if not count:
                continue
            with log.open() as stream:
                stream.seek(before)
                for one in map(json.loads, stream):
                    done += 1
                    codes[one["code"]] += 1
                    peak = max(peak, one["memory"])
                    line = " ".join(one["words"])
                    longest = max(longest, (one["seconds"], line))
                    if one["faults"]:
                        wrong += 1
                        print(f"\n{'; '.join(one['faults'])}\n  {line}\n  {one['err']}")
            told = ", ".join(f"{many:,} with {code}" for code, many in sorted(codes.items()))
            print(
                f"{done:,} inputs in {time.monotonic() - started:,.0f} s, {wrong} wrong; ended: "
                f"{told}; the longest took {longest[0]:.2f} s ({longest[1]}); at most "
                f"{peak / 1e6:,.0f} MB of memory",
                flush=True,
            )
    return 1 if wrong or peak > MOST_MEMORY else 0


if __name__ == "__main__":
    sys.exit(main())
