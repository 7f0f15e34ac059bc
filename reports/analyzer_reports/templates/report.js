"use strict";
// Tables: sort by a column, copy as tab-separated text. Without this script they are plain tables.
(() => {
  const said = document.getElementById("said");
  const raw = (cell) => cell.dataset.v;
  const compare = (a, b) => {
    const x = Number(a), y = Number(b);
    if (a === "" || b === "") return (a === "") - (b === "");
    return Number.isNaN(x) || Number.isNaN(y) ? a.localeCompare(b) : x - y;
  };

  const sort = (table, head, place) => {
    const down = head.getAttribute("aria-sort") === "ascending";
    for (const other of table.tHead.rows[0].cells) other.setAttribute("aria-sort", "none");
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const body = table.tBodies[0];
    const rows = [...body.rows].sort((a, b) => {
      const x = raw(a.cells[place]), y = raw(b.cells[place]);
      // What is unknown stays at the end, whichever way the rest is turned.
      if (x === "" || y === "") return compare(x, y);
      return down ? -compare(x, y) : compare(x, y);
    });
    body.append(...rows);
    said.textContent = `Sorted by ${head.textContent}, ${down ? "descending" : "ascending"}`;
  };

  // A spreadsheet would take a name that begins so for a formula.
  const harmless = (text) => /^[-=+@＝＋－＠]/.test(text) && isNaN(text) ? `'${text}` : text;

  const copy = async (table, button) => {
    const lines = [...table.rows].map((row) =>
      [...row.cells].map((cell) => harmless(raw(cell) ?? cell.textContent)).join("\t"));
    const text = lines.join("\n") + "\n";
    let done = true;
    try {
      await navigator.clipboard.writeText(text);
    } catch {
      const area = document.createElement("textarea");
      area.value = text;
      area.className = "unseen";
      document.body.append(area);
      area.select();
      done = document.execCommand("copy");
      area.remove();
      button.focus();
    }
    button.textContent = done ? "Copied" : "Select the table to copy it";
    said.textContent = button.textContent;
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  };

  for (const table of document.querySelectorAll("table.numbers")) {
    [...table.tHead.rows[0].cells].forEach((head, place) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = head.textContent;
      button.title = "Sort";
      button.addEventListener("click", () => sort(table, head, place));
      head.replaceChildren(button);
      head.setAttribute("aria-sort", "none");
    });
    const tools = document.createElement("div");
    tools.className = "tools";
    const button = document.createElement("button");
    button.type = "button";
    button.textContent = "Copy";
    button.addEventListener("click", () => copy(table, button));
    tools.append(button);
    table.parentElement.before(tools);
  }

  // In print the numbers come last, open, each under the title of its picture.
  let folded = [];
  const appendix = document.createElement("section");
  appendix.className = "appendix";
  addEventListener("beforeprint", () => {
    if (appendix.isConnected) return;
    folded = [...document.querySelectorAll("details:not([open])")];
    for (const part of folded) part.open = true;
    const heading = document.createElement("h2");
    heading.textContent = "The numbers";
    appendix.replaceChildren(heading);
    for (const figure of document.querySelectorAll("figure")) {
      const sheet = figure.querySelector(".sheet");
      if (!sheet) continue;
      const title = document.createElement("h3");
      title.textContent = figure.querySelector("h3").textContent;
      appendix.append(title, sheet);
    }
    if (appendix.children.length > 1) document.querySelector("main").append(appendix);
  });
  addEventListener("afterprint", () => {
    const sheets = [...appendix.querySelectorAll(".sheet")];
    for (const figure of document.querySelectorAll("figure")) {
      const place = figure.querySelector("details");
      if (place && !place.querySelector(".sheet")) place.append(sheets.shift());
    }
    appendix.remove();
    for (const part of folded) part.open = false;
  });
})();
