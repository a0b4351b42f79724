// The matrix: arrow keys walk over its cells, and a small label says what a cell is, with the quality of its periods.
(() => {
  "use strict";

  const tip = document.createElement("div");
  tip.className = "tip";
  tip.hidden = true;
  tip.setAttribute("aria-hidden", "true");

  let pointed = null;

  function show(cell) {
    pointed = cell;
    tip.textContent = cell.getAttribute("aria-label");
    tip.hidden = false;
    place(cell);
    draw(cell);
  }

  function hide() {
    pointed = null;
    tip.hidden = true;
  }

  function place(cell) {
    const at = cell.getBoundingClientRect();
    const left = Math.min(at.left, document.documentElement.clientWidth - tip.offsetWidth - 8);
    const above = at.top - tip.offsetHeight - 6;
    tip.style.left = `${Math.max(8, left)}px`;
    tip.style.top = `${above < 60 ? at.bottom + 6 : above}px`;
  }

  // The sparkline: quality from 0 to 1, with dashed lines at both ends.

  const REST = 150; // Milliseconds on a cell before its periods are asked for.
  const WIDTH = 220;
  const HEIGHT = 44;
  const known = new Map();

  async function draw(cell) {
    const address = cell.closest("[data-qualities]")?.dataset.qualities;
    if (!address || cell.matches(".queued")) return;
    const id = cell.id.slice(1);
    if (!known.has(id)) {
      await new Promise((done) => setTimeout(done, REST));
      if (pointed !== cell) return;
      try {
        const response = await fetch(address.replace("/0/", `/${id}/`), { headers: { Accept: "application/json" } });
        window.logInFirst(response);
        if (!response.ok) return;
        const found = await response.json();
        // An unfinished run goes on, so it is asked for again.
        if (cell.matches(".finished")) known.set(id, found);
        if (pointed === cell) append(cell, found);
      } catch { /* Without a connection the label stays without its line. */ }
    } else append(cell, known.get(id));
  }

  function append(cell, { periods, quality }) {
    const values = quality.filter((value) => value !== null);
    if (values.length < 2) return;
    const low = Math.min(0, ...values);
    const high = Math.max(1, ...values);
    const y = (value) => (2 + (HEIGHT - 4) * (1 - (value - low) / (high - low))).toFixed(1);
    const node = (name, attributes) => {
      const made = document.createElementNS("http://www.w3.org/2000/svg", name);
      for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
      return made;
    };
    const svg = node("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}` });
    for (const value of [0, 1]) svg.append(node("line", { x1: 0, x2: WIDTH, y1: y(value), y2: y(value) }));
    const last = Math.max(periods - 1, 1);
    const at = (value, index) => value === null ? [] : [`${(index / last * WIDTH).toFixed(1)},${y(value)}`];
    svg.append(node("polyline", { points: quality.flatMap(at).join(" ") }));
    tip.append(svg, "Quality by period");
    place(cell);
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
      else hide();
    });
  }
  document.addEventListener("focusout", hide);
  // Focus scrolls a cell into sight, so the label of a focused cell goes along.
  document.addEventListener("scroll", () => {
    if (pointed && pointed === document.activeElement) place(pointed);
    else hide();
  }, true);

  // The charts stay when the rest is replaced, and are asked for newer data now and then.

  const PAUSE = 15000;
  let refreshed = 0;

  document.addEventListener("htmx:afterSwap", (event) => {
    if (!document.activeElement?.matches(".cell")) hide();
    const live = document.getElementById("live");
    if (event.detail.target.id !== "live" || (live.matches("[data-poll]") && Date.now() - refreshed < PAUSE)) return;
    refreshed = Date.now();
    document.querySelectorAll("#experiment-charts .chart").forEach((chart) => chart.dispatchEvent(new CustomEvent("chart:refresh")));
  });
  document.body.append(tip);
})();
