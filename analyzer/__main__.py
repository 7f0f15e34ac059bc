"""``python -m analyzer``: the same as the command ``analyzer``."""

import os
import sys

if __name__ == "__main__":
    # Unlike the command, Python has put the current folder first, where a `random.py` of the user's
    # may lie. It is not needed, unless it is the folder that the analyzer itself came from.
    folder = os.path.dirname(os.path.dirname(__file__))
    if not sys.flags.safe_path and sys.path[0] == os.getcwd() and sys.path[0] != folder:
        del sys.path[0]

    from analyzer.cli.app import main

    code = main()
    # Where an interruption went through code that was given as text, Python would still end by that
    # signal, whatever is made of it since, unless other such code has run.
    eval("None")
    sys.exit(code)
