"""Reports in a real browser: what a reader sees, hears, prints and clicks."""

from __future__ import annotations

import base64
import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from analyzer_reports import write_found, write_report
from tests.reports import comparisons, mermaid
from tests.reports import samples as s
from tests.reports import switch16_samples as dice

pytestmark = pytest.mark.browser

FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
)
BROWSERS = ("chromium", "chromium-browser", "google-chrome")

# Labels of a picture that stick out of it or run into each other.
COLLISIONS = """
const found = [];
for (const svg of document.querySelectorAll("figure svg")) {
  const frame = svg.getBoundingClientRect();
  if (!frame.width) continue;
  const texts = [...svg.querySelectorAll("text")]
    .map((t) => [t.textContent, t.getBoundingClientRect()]);
  const name = svg.closest("figure").id;
  texts.forEach(([text, box], i) => {
    if (box.left < frame.left - 1 || box.right > frame.right + 1 ||
        box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
      found.push(`${name}: ${text} sticks out`);
    for (const [other, rival] of texts.slice(0, i))
      if (Math.min(box.right, rival.right) - Math.max(box.left, rival.left) > 1 &&
          Math.min(box.bottom, rival.bottom) - Math.max(box.top, rival.top) > 4)
        found.push(`${name}: ${text} runs into ${other}`);
  });
}
return found;
"""


@pytest.fixture(scope="module")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    answers = {
        "full": s.fairness(fields=s.FIELDS, suggested=True),
        "six": s.fairness(("random",) * 6, games=20_000),
        "few": s.fairness(games=3),
        "mixed": s.summary(
            ("lowest", "highest", "reactive", "./x<script>alert(1)</script>.py::a$b$"),
            shares=(0.442, 0.159, 0.379, 0.02),
            games=100_000,
        ),
        "mermaid": mermaid.fairness(first=0.3, fields=True),
        "rotated": mermaid.fairness(
            4096,
            ("attentive", "greedy", "random", "x" * 80),
            rotate=True,
            skill=(2.0, 1.0, 0.0, 0.0),
        ),
        "switch16": dice.answer(dice.greed()),
    }
    found = {}
    for name, answer in answers.items():
        folder = tmp_path_factory.mktemp(name)
        found[name] = write_report(answer, s.PROVENANCE, folder)[-1].as_uri()
    compared = {
        "strategies": comparisons.strategies(0.1, 0.05, -0.02),
        "rules": comparisons.rules(),
        "metric": comparisons.rules(metric="mean_score"),
    }
    for name, sides in compared.items():
        folder = tmp_path_factory.mktemp(name)
        files = write_found(sides, "Turn the Tide", s.PROVENANCE, folder)
        found[name] = files[-1].as_uri()
    return found


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    binary = next((path for path in map(shutil.which, BROWSERS) if path), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("no Chromium: install the packages chromium and chromium-driver")
    from selenium.webdriver import Chrome
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    options = Options()
    options.binary_location = binary
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    chrome = Chrome(options=options, service=Service(driver))
    yield chrome
    chrome.quit()


def show(
    browser: Any, url: str, *, width: int = 1000, scheme: str = "light", media: str = ""
) -> None:
    """Open a page as a reader with this window and these settings sees it."""
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    browser.execute_cdp_cmd(
        "Emulation.setEmulatedMedia",
        {"media": media, "features": [{"name": "prefers-color-scheme", "value": scheme}]},
    )
    browser.get(url)


def value(browser: Any, expression: str) -> Any:
    """What an expression is worth in the page."""
    return browser.execute_script(f"return {expression}")


@pytest.mark.parametrize("name", ["full", "mixed", "few", "mermaid"])
def test_quiet_and_self_contained(browser: Any, pages: dict[str, str], name: str) -> None:
    browser.get_log("browser"), browser.get_log("performance")
    show(browser, pages[name])
    assert browser.get_log("browser") == []
    messages = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = [
        message["params"]["request"]["url"]
        for message in messages
        if message["method"] == "Network.requestWillBeSent"
    ]
    assert pages[name] in urls
    assert [url for url in urls if url not in (pages[name], "data:,")] == []


def test_the_policy_stops_what_the_page_did_not_bring(browser: Any, pages: dict[str, str]) -> None:
    """Were a name ever to become markup, it still could not run or load anything."""
    show(browser, pages["full"])
    browser.execute_script(
        "const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
        "document.body.append(s);"
        "const i = document.createElement('img'); i.src = 'https://example.org/x.png';"
        "document.body.append(i);"
    )
    assert value(browser, "window.ran === undefined")
    assert any(
        "Content Security Policy" in entry["message"] for entry in browser.get_log("browser")
    )


def test_the_verdict_is_on_the_first_screen(browser: Any, pages: dict[str, str]) -> None:
    for width in (1000, 375):
        show(browser, pages["full"], width=width)
        box = value(browser, "document.querySelector('.verdict').getBoundingClientRect().toJSON()")
        assert box["top"] > 0 and box["bottom"] < 900
        assert value(browser, "document.querySelector('#verdict').innerText").endswith("No")
        icon = value(browser, "document.querySelector('.icon').getBoundingClientRect().width")
        assert icon > 20


@pytest.mark.parametrize(
    "name",
    [
        *("full", "six", "few", "mixed", "mermaid", "rotated", "switch16"),
        *("strategies", "rules", "metric"),
    ],
)
@pytest.mark.parametrize("width", [375, 1000])
def test_nothing_scrolls_sideways_or_collides(
    browser: Any, pages: dict[str, str], name: str, width: int
) -> None:
    show(browser, pages[name], width=width)
    assert browser.execute_script(COLLISIONS) == []
    browser.execute_script("document.querySelectorAll('details').forEach((d) => { d.open = true })")
    assert value(browser, "document.documentElement.scrollWidth") <= width
    wide = (
        "[...document.querySelectorAll('.sheet')].filter((x) => x.scrollWidth > x.clientWidth + 1)"
    )
    assert value(browser, f"{wide}.map((x) => x.closest('figure').id)") == []
    # The narrow drawing on the phone, the wide one elsewhere, never both.
    drawn = "[...document.querySelectorAll('figure svg')]"
    shown = f"{drawn}.filter((x) => x.getBoundingClientRect().width)"
    kinds = value(browser, f"[...new Set({shown}.map((x) => x.parentElement.className))]")
    assert kinds == ["narrow" if width < 500 else "wide"]


def test_small_print_is_not_too_small_on_a_phone(browser: Any, pages: dict[str, str]) -> None:
    for name in ("full", "switch16"):
        show(browser, pages[name], width=375)
        _require_legible(browser)


def _require_legible(browser: Any) -> None:
    heights = value(
        browser,
        "[...document.querySelectorAll('.narrow text')]"
        ".map((text) => text.getBoundingClientRect().height)",
    )
    assert min(heights) > 11


def column(browser: Any, figure: str, place: int) -> list[str]:
    """Cells of one column of a table, as they are written."""
    return list(
        value(
            browser,
            f"[...document.querySelectorAll('#{figure} tbody tr')]"
            f".map((row) => row.cells[{place}].textContent)",
        )
    )


def test_tables_sort_by_mouse_and_by_keyboard(browser: Any, pages: dict[str, str]) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.common.keys import Keys

    show(browser, pages["full"])
    figure = "worth-of-cards"
    summary = browser.find_element(By.CSS_SELECTOR, f"#{figure} summary")
    summary.send_keys(Keys.ENTER)
    assert value(browser, f"document.querySelector('#{figure} details').open")
    assert column(browser, figure, 0) == [str(card) for card in range(1, 61)]
    worth = browser.find_elements(By.CSS_SELECTOR, f"#{figure} th button")[2]
    worth.click()
    values = [card.worth.value or 0.0 for card in s.lifesavers().cards]
    ranked = sorted(range(60), key=values.__getitem__)
    assert column(browser, figure, 0) == [str(card + 1) for card in ranked]
    head = f"document.querySelectorAll('#{figure} th')[2].getAttribute('aria-sort')"
    assert value(browser, head) == "ascending"
    worth.send_keys(Keys.SPACE)
    assert value(browser, head) == "descending"
    assert column(browser, figure, 0)[0] == str(ranked[-1] + 1)
    assert "descending" in value(browser, "document.querySelector('#said').textContent")
    # The focus that the keyboard needs can be seen.
    assert value(browser, "getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_tables_copy_in_full(browser: Any, pages: dict[str, str]) -> None:
    from selenium.webdriver.common.by import By
    from selenium.webdriver.support.ui import WebDriverWait

    show(browser, pages["full"])
    browser.execute_script(
        "document.querySelector('#score-by-preservers details').open = true;"
        "navigator.clipboard.writeText = async (text) => { window.copied = text; };"
    )
    browser.find_element(By.CSS_SELECTOR, "#score-by-preservers .tools button").click()
    WebDriverWait(browser, 5).until(lambda b: value(b, "window.copied"))
    lines = value(browser, "window.copied").splitlines()
    assert lines[0].split("\t")[:3] == ["Preservers", "Dealt", "Points a round"]
    first = s.fairness().figures["lifesavers"].by_count[0]
    assert lines[1].split("\t")[2] == repr(first.mean_score.value)
    assert value(browser, "document.querySelector('#said').textContent") == "Copied"


def test_everything_can_be_reached_by_keyboard(browser: Any, pages: dict[str, str]) -> None:
    show(browser, pages["full"])
    unreachable = value(
        browser,
        "[...document.querySelectorAll('button, summary, a')].filter((x) => x.tabIndex < 0).length",
    )
    assert unreachable == 0


def luminance(color: str) -> float:
    """Rough brightness of an ``rgb()`` color, 0 to 1."""
    red, green, blue = (int(part) / 255 for part in re.findall(r"\d+", color)[:3])
    return 0.3 * red + 0.6 * green + 0.1 * blue


GROUND = "getComputedStyle(document.body).backgroundColor"
INK = "getComputedStyle(document.querySelector('#score-by-preservers text')).fill"


def test_dark_mode_turns_page_and_pictures(browser: Any, pages: dict[str, str]) -> None:
    show(browser, pages["full"], scheme="light")
    assert luminance(value(browser, GROUND)) > 0.9 and luminance(value(browser, INK)) < 0.5
    show(browser, pages["full"], scheme="dark")
    assert luminance(value(browser, GROUND)) < 0.15 and luminance(value(browser, INK)) > 0.5


def test_print_has_light_ground_and_all_tables(browser: Any, pages: dict[str, str]) -> None:
    show(browser, pages["full"], scheme="dark", media="print")
    assert value(browser, GROUND) in ("rgba(0, 0, 0, 0)", "rgb(255, 255, 255)")
    assert luminance(value(browser, INK)) < 0.5
    heights = value(
        browser,
        "[...document.querySelectorAll('tbody tr:last-child')].map("
        "(x) => x.getBoundingClientRect().height)",
    )
    assert len(heights) == 9 and min(heights) > 5
    assert value(browser, "[...document.querySelectorAll('details')].every((d) => !d.open)")


def test_printed_pages(browser: Any, pages: dict[str, str]) -> None:
    show(browser, pages["full"])
    printed = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})["data"]
    count = len(re.findall(rb"/Type\s*/Page\b", base64.b64decode(printed)))
    assert 8 <= count <= 16


def test_in_print_the_numbers_are_an_appendix(browser: Any, pages: dict[str, str]) -> None:
    show(browser, pages["full"])
    places = "[...document.querySelectorAll('.sheet')].map((x) => x.closest('figure')?.id ?? '')"
    before = value(browser, places)
    assert len(before) == 9 and all(before)
    value(browser, "dispatchEvent(new Event('beforeprint'))")
    assert value(browser, "document.querySelector('main').lastElementChild.className") == "appendix"
    assert value(browser, "document.querySelectorAll('.appendix h3 + .sheet').length") == 9
    value(browser, "dispatchEvent(new Event('afterprint'))")
    assert value(browser, places) == before
    assert value(browser, "document.querySelectorAll('.appendix').length") == 0
    assert value(browser, "[...document.querySelectorAll('details')].every((d) => !d.open)")


def test_without_scripts_the_page_still_reads(
    browser: Any, pages: dict[str, str], tmp_path: Path
) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        show(browser, pages["mixed"])
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert value(browser, "document.querySelectorAll('th button').length") == 0
    assert value(browser, "document.querySelectorAll('details table').length") == 3
