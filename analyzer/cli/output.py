"""What gets to be seen: standard output once, at the end; notes on standard error."""

from __future__ import annotations

import contextlib
import json
import os
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TextIO

from analyzer.cli.text import harmless

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

STDERR = 2
"""What the system calls standard error."""

_reserved: list[TextIO | None] = []


def emit(text: str) -> None:
    """Write text to standard output, which may be closed, full, or unable to spell it.

    Raises
    ------
    BrokenPipeError
        If nobody reads it.
    OSError
        If it cannot be written.
    """
    stream = _stdout()
    if stream is None:
        return
    encoding = getattr(stream, "encoding", None) or "utf-8"
    stream.write(text.encode(encoding, "backslashreplace").decode(encoding))
    stream.flush()


def flush() -> None:
    """Bring what was emitted to whoever reads it."""
    stream = _stdout()
    if stream is not None:
        stream.flush()


@contextlib.contextmanager
def reserved_stdout() -> Iterator[None]:
    """Keep standard output for `emit`; what others print, strategies say, goes to standard error.

    Whoever reads one JSON document there must not meet anything else.
    """
    _reserved.append(sys.stdout)
    try:
        with contextlib.ExitStack() as stack:
            if sys.stderr is None:  # closed, but libraries write to it, in worker processes too
                hole = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))
                try:
                    os.fstat(STDERR)
                except OSError:
                    os.dup2(hole.fileno(), STDERR)
                os.set_inheritable(STDERR, True)
                stack.enter_context(contextlib.redirect_stderr(hole))
            stack.enter_context(contextlib.redirect_stdout(sys.stderr))
            yield
    finally:
        _reserved.pop()


def _stdout() -> TextIO | None:
    return _reserved[-1] if _reserved else sys.stdout


def emit_json(document: Mapping[str, Any]) -> None:
    """Write one JSON document."""
    emit(json.dumps(document, allow_nan=False) + "\n")


def emit_lines(lines: Sequence[str]) -> None:
    """Write lines of text, names from outside made harmless."""
    emit("".join(harmless(line) + "\n" for line in lines))


def note(text: str) -> None:
    """Write a line to standard error; if that is not possible, nobody is listening."""
    if sys.stderr is None:
        return
    line = f"{harmless(text)}\n"
    encoding = getattr(sys.stderr, "encoding", None) or "utf-8"
    try:
        sys.stderr.write(line.encode(encoding, "backslashreplace").decode(encoding))
        sys.stderr.flush()
    except (OSError, ValueError):
        return


def console(stderr: bool = False) -> Console:
    """A rich console that takes no text for markup; ``NO_COLOR`` and ``COLUMNS`` count."""
    from rich.console import Console

    columns = os.environ.get("COLUMNS", "")
    width = max(int(columns), 20) if re.fullmatch("[0-9]{1,9}", columns) else None
    return Console(
        file=None if stderr else _stdout(),
        stderr=stderr,
        markup=False,
        emoji=False,
        highlight=False,
        width=min(width, 1000) if width else None,
        soft_wrap=False,
        # Rich would read the size itself, and trip over digits that are none to Python.
        _environ={k: v for k, v in os.environ.items() if k not in ("COLUMNS", "LINES")},
    )


def table(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    whole: Sequence[str] = (),
    numbers: Sequence[str] = (),
    lines: bool = False,
    names: Sequence[str] = (),
) -> TextTable:
    """A table of text.

    Columns named in ``whole`` are never broken, those in ``numbers`` are set to the right as well,
    those in ``names`` are broken after spaces, slashes, colons and commas, if they must, and all
    others between words. Where the table does not fit, each row becomes a paragraph of
    ``name: value`` lines: a cut-off number would be a wrong one. ``lines`` leaves room between the
    rows.
    """
    return TextTable(columns, rows, whole, numbers, lines, names)


@dataclass(frozen=True)
class TextTable:
    """A table that fits itself to a terminal, or is told in Markdown; see `table`."""

    columns: Sequence[str]
    rows: Sequence[Sequence[str]]
    whole: Sequence[str] = ()
    numbers: Sequence[str] = ()
    lines: bool = False
    names: Sequence[str] = ()

    def __rich__(self) -> RenderableType:
        """The table as wide as the terminal allows."""
        return _fitted(self.columns, self.rows, self.whole, self.numbers, self.lines, self.names)

    def markdown(self) -> str:
        """The table in Markdown, numbers set to the right."""
        rules = ["---:" if name in self.numbers else "---" for name in self.columns]
        rows = [[_in_markdown(cell) for cell in row] for row in (self.columns, *self.rows)]
        return "\n".join(f"| {' | '.join(row)} |" for row in (rows[0], rules, *rows[1:]))


def _in_markdown(text: str) -> str:
    """Text that means itself in Markdown, within a cell of a table too."""
    plain = harmless(text).replace("\n", " ")
    return re.sub(r"([\\|*`<\[])", r"\\\1", plain).strip()


def _fitted(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    whole: Sequence[str],
    numbers: Sequence[str],
    lines: bool,
    names: Sequence[str],
) -> RenderableType:
    clean = [[harmless(cell) for cell in row] for row in rows]
    parts = [
        [
            _breakable(cell) if name in names else cell
            for name, cell in zip(columns, row, strict=True)
        ]
        for row in clean
    ]
    names = [name for name in names if name in columns]
    screen = console()
    grid = _grid(columns, parts, (*whole, *names), numbers, lines)
    need = _width(grid)
    if need > screen.width or any(len(cell) >= 400 for row in clean for cell in row):
        return _paragraphs(columns, clean, names, screen.width)
    # The room that is left over goes to the names, so that they are broken as seldom as possible.
    shown = [row[columns.index(name)] for name in names for row in parts]
    longest = max(map(_longest, shown), default=0)
    room = longest + (screen.width - need) // max(len(names), 1)
    packed = [
        [
            _packed(cell, room) if name in names else cell
            for name, cell in zip(columns, row, strict=True)
        ]
        for row in parts
    ]
    unbroken = (*whole, *names)
    spare = screen.width - _width(_grid(columns, packed, unbroken, numbers, lines))
    shares = _shares(columns, packed, (*unbroken, *numbers), spare)
    return _grid(columns, packed, unbroken, numbers, lines, shares)


def _shares(
    columns: Sequence[str], rows: Sequence[Sequence[str]], unbroken: Sequence[str], spare: int
) -> list[int | None]:
    """Widths of columns: their longest word and what they get of the room that is left over.

    None leaves a column to itself. Rich would take room from the widest columns, down to less than
    their longest word.
    """
    least, wanted = [], []
    for place, name in enumerate(columns):
        cells = [name, *(row[place] for row in rows)]
        least.append(max((len(word) for cell in cells for word in cell.split()), default=0))
        wanted.append(0 if name in unbroken else max(map(_longest, cells)) - least[-1])
    widths: list[int | None] = [None] * len(columns)
    if sum(wanted) <= spare:
        return widths
    # Whoever wants least is served first, and nobody gets more than an equal part of what is left.
    queue = sorted((want, place) for place, want in enumerate(wanted) if want)
    for waiting, (want, place) in zip(range(len(queue), 0, -1), queue, strict=True):
        share = min(want, spare // waiting)
        widths[place] = least[place] + share
        spare -= share
    return widths


def _breakable(name: str, joints: str = "/,: ") -> str:
    """Text with a line break wherever it may have one."""
    return re.sub(f"(?<=[{joints}])(?=[^{joints}])", "\n", name)


def _longest(cell: str) -> int:
    return max(map(len, cell.split("\n")), default=0)


def _packed(cell: str, room: int) -> str:
    """The pieces of a name put together again as far as there is room."""
    lines = [""]
    for piece in cell.split("\n"):
        if len(lines[-1]) + len(piece.rstrip()) <= room:
            lines[-1] += piece
        else:
            lines.append(piece)
    return "\n".join(lines)


def _width(grid: RenderableType) -> int:
    """Columns that a table takes at least."""
    from rich.measure import Measurement

    screen = console()
    return Measurement.get(screen, screen.options.update(width=10_000), grid).minimum


def _grid(
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    whole: Sequence[str],
    numbers: Sequence[str],
    lines: bool,
    shares: Sequence[int | None] = (),
) -> RenderableType:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    grid = Table(box=SIMPLE_HEAD, pad_edge=False, leading=1 if lines else 0)
    for place, name in enumerate(columns):
        unbroken = name in numbers or name in whole
        grid.add_column(
            Text(name),
            justify="right" if name in numbers else "left",
            no_wrap=unbroken,
            overflow="fold",
            width=shares[place] if shares else None,
            # Rich would take the longest word for enough.
            min_width=max(map(_longest, [name, *(row[place] for row in rows)]))
            if unbroken
            else None,
        )
    for row in rows:
        grid.add_row(*(Text(cell) for cell in row))
    return grid


def _paragraphs(
    columns: Sequence[str], rows: Sequence[Sequence[str]], names: Sequence[str], width: int
) -> RenderableType:
    from rich.console import Group
    from rich.text import Text

    def told(name: str, cell: str) -> str:
        line = f"{name}: {cell}"
        if name not in names or len(line) <= width:
            return line
        pieces = _breakable(cell)
        if _longest(pieces) > width:
            pieces = _breakable(cell, "/,: ._-")
        return f"{name}:\n{_packed(pieces, width)}"

    paragraphs = [
        Text("\n".join(told(*pair) for pair in zip(columns, row, strict=True)) + "\n")
        for row in rows
    ]
    return Group(*paragraphs)


def emit_tables(*parts: TextTable | str, markdown: bool = False) -> None:
    """Write tables and sentences, for a terminal or in Markdown, to be pasted."""
    from rich.text import Text

    if markdown:
        told = [_in_markdown(part) if isinstance(part, str) else part.markdown() for part in parts]
        emit("\n\n".join(told) + "\n")
        return

    screen = console()
    with screen.capture() as captured:
        for part in parts:
            screen.print(Text(harmless(part)) if isinstance(part, str) else part)
    emit("\n".join(line.rstrip() for line in captured.get().splitlines()) + "\n")
