"""Matplotlib's SVG, made fit for a page: no inline styles, colors as CSS variables, unique ids."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from markupsafe import Markup

from analyzer_reports.style import variable_of

SVG = "http://www.w3.org/2000/svg"
XLINK = "{http://www.w3.org/1999/xlink}href"

ElementTree.register_namespace("", SVG)


class StyleSheet:
    """Collects declarations and names a class for each.

    The page's policy forbids ``style`` attributes, which also repeat themselves a lot.
    """

    def __init__(self) -> None:
        """Start empty."""
        self._classes: dict[str, str] = {}

    def name(self, declarations: str) -> str:
        """Class that stands for these declarations."""
        return self._classes.setdefault(declarations, f"s{len(self._classes)}")

    def css(self) -> str:
        """All rules, in order of first use."""
        return "\n".join(f".{name}{{{text}}}" for text, name in self._classes.items())


def _declarations(style: str) -> str:
    """A ``style`` attribute with theme colors as variables and without font families."""
    kept = []
    for declaration in style.split(";"):
        key, _, value = declaration.partition(":")
        key, value = key.strip(), value.strip()
        # Families are the page's own; a family's name may hold quotes, but never a semicolon.
        if key and key != "font-family":
            kept.append(f"{key}:{variable_of(value) or value}")
    return ";".join(sorted(kept))


def _shorter(path: str) -> str:
    """Path data on one line, to the tenth of a pixel that a screen can show."""
    path = re.sub(r"-?\d+\.\d+", lambda m: f"{float(m.group()):.2f}".rstrip("0").rstrip("."), path)
    return " ".join(path.split())


def inline(source: str, prefix: str, sheet: StyleSheet, label: str) -> Markup:
    """The picture as an element for the page.

    Parameters
    ----------
    source
        What matplotlib saved with ``svg.fonttype`` ``"none"``.
    prefix
        Makes ids unique on the page; letters, digits and hyphens.
    sheet
        Receives the declarations of its ``style`` attributes.
    label
        Alternative text.
    """
    root = ElementTree.fromstring(source)
    for parent in root.iter():
        for child in list(parent):
            if child.tag in (f"{{{SVG}}}style", f"{{{SVG}}}metadata"):
                parent.remove(child)
    text = ElementTree.tostring(root, encoding="unicode")
    used = set(re.findall(r'(?:url\(#|href="#)([^)"]+)', text))
    for element in root.iter():
        attributes = element.attrib
        if "id" in attributes:
            name = attributes.pop("id")
            if name in used:
                attributes["id"] = f"{prefix}-{name}"
        if XLINK in attributes:
            attributes["href"] = f"#{prefix}-{attributes.pop(XLINK)[1:]}"
        if "clip-path" in attributes:
            attributes["clip-path"] = attributes["clip-path"].replace("url(#", f"url(#{prefix}-")
        if "style" in attributes:
            declarations = _declarations(attributes.pop("style"))
            if declarations:
                attributes["class"] = sheet.name(declarations)
        if "d" in attributes:
            attributes["d"] = _shorter(attributes["d"])
        if attributes.get("transform", "").startswith("rotate(-0 "):
            del attributes["transform"]
        if element.tag != f"{{{SVG}}}text":
            element.text = None
        element.tail = None
    _flatten(root)
    view = root.attrib["viewBox"]
    root.attrib.clear()
    root.attrib.update(
        viewBox=view, preserveAspectRatio="xMinYMid", role="img", **{"aria-label": label}
    )
    return Markup(ElementTree.tostring(root, encoding="unicode"))


def _flatten(element: ElementTree.Element) -> None:
    """Dissolve groups that say nothing."""
    children: list[ElementTree.Element] = []
    for child in element:
        _flatten(child)
        if child.tag in (f"{{{SVG}}}g", f"{{{SVG}}}defs") and not child.attrib and not len(child):
            continue
        if child.tag == f"{{{SVG}}}g" and not child.attrib:
            children.extend(child)
        else:
            children.append(child)
    element[:] = children
