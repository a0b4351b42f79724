// The matrix: arrow keys walk over its cells, and a small label says what a cell is.
(() => {
  "use strict";

  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true");

  function show(cell) {
    tip.textContent = cell.getAttribute("aria-label");
    tip.hidden = false;
    const at = cell.getBoundingClientRect();
    const left = Math.min(at.left, document.documentElement.clientWidth - tip.offsetWidth - 8);
    const above = at.top - tip.offsetHeight - 6;
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${above < 60 ? at.bottom + 6 : above}px`;
  }

  function cellOf(event) {
    return event.target.closest?.(".matrix a.cell");
  }

  function neighbour(cell, key) {
    const place = cell.parentElement;
    const row = place.parentElement;
    const rows = [...document.querySelectorAll(".matrix tbody tr")];
    if (key === "ArrowRight" || key === "ArrowLeft") {
      const step = key === "ArrowRight" ? "nextElementSibling" : "previousElementSibling";
      let next = place[step];
      while (next && !next.querySelector("a.cell")) next = next[step];
      return next?.querySelector("a.cell");
    }
    const other = rows[rows.indexOf(row) + (key === "ArrowDown" ? 1 : -1)];
    return other?.children[place.cellIndex]?.querySelector("a.cell") || other?.querySelector("a.cell");
  }

  document.addEventListener("keydown", (event) => {
    const cell = cellOf(event);
    if (!cell || !event.key.startsWith("Arrow")) return;
    const next = neighbour(cell, event.key);
    if (!next) return;
    event.preventDefault();
    next.focus();
  });

  for (const name of ["mouseover", "focusin"]) {
    document.addEventListener(name, (event) => {
      const cell = cellOf(event);
      if (cell) show(cell);
      else tip.hidden = true;
    });
  }
  document.addEventListener("focusout", () => { tip.hidden = true; });
  document.addEventListener("scroll", () => { tip.hidden = true; }, true);
  document.addEventListener("htmx:afterSwap", () => { if (!document.activeElement?.matches(".cell")) tip.hidden = true; });
  document.body.append(tip);
})();
