"""Views laid by hand, as the engine shows them: machine code is made for each kind of array."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np

V = TypeVar("V", bound=tuple[Any, ...])


def locked(array: Any) -> Any:
    """A copy that cannot be written to; anything but an array as it is."""
    if not isinstance(array, np.ndarray):
        return array
    copy = np.array(array)
    copy.flags.writeable = False
    return copy


def as_shown(view: V, hidden: frozenset[str] = frozenset()) -> V:
    """The view with arrays that cannot be written to, and None for what is hidden."""
    fields: dict[str, Any] = view._asdict()  # type: ignore[attr-defined]
    shown = {name: None if name in hidden else locked(value) for name, value in fields.items()}
    return type(view)(**shown)
