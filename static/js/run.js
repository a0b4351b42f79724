// The run page and the comparison of runs: chart and inspector follow each other; j, k, arrow keys and swipes walk through the
// periods, space replays them, and ? lists the keys.
(() => {
  "use strict";

  // The period to show. Requests go out one at a time, so that holding a key down skips over periods instead of queueing.
  let wanted = null;
  let loading = false;

  const panel = () => document.getElementById("period");
  const charts = () => document.querySelectorAll(".chart");
  const tell = (name, detail) => charts().forEach((chart) => chart.dispatchEvent(new CustomEvent(name, { detail })));
  const shown = () => Number(panel().dataset.period);

  function open(index) {
    wanted = Math.max(0, Math.min(Number(panel().dataset.last), index));
    tell("chart:mark", { period: wanted });
    load();
  }

  async function load() {
    if (loading || wanted === null) return;
    const index = wanted;
    const { url, tab } = panel().dataset;
    if (index === shown()) {
      wanted = null;
      return;
    }
    loading = true;
    try {
      const query = tab === "notes" ? "" : `?tab=${tab}`;
      await htmx.ajax("GET", url.replace(/0(\/?)$/, `${index}$1`) + query, { source: "#inspector", target: "#period", swap: "outerHTML" });
    } catch {
      wanted = null;
    }
    loading = false;
    if (wanted === index) wanted = null;
    load();
  }

  function step(by) {
    open((wanted ?? shown()) + by);
  }

  // Replay: one period after another until the last. It shows each at once, so nothing moves that reduced motion would stop.
  const PACE = 900;
  let replay = null;

  function labelReplay() {
    document.querySelectorAll("[data-replay=pause]").forEach((button) => { button.hidden = !replay; });
  }

  function stop() {
    clearInterval(replay);
    replay = null;
    labelReplay();
  }

  function play() {
    if (replay || !panel().querySelector("[data-replay]")) return stop();
    const last = Number(panel().dataset.last);
    if (shown() >= last) open(0);
    replay = setInterval(() => {
      if (loading) return;
      if (shown() >= last) stop();
      else step(1);
    }, PACE);
    labelReplay();
  }

  const keys = () => document.getElementById("run-keys");

  document.addEventListener("keydown", (event) => {
    const elsewhere = event.target.closest("input, textarea, select, dialog, [role=dialog], [contenteditable]");
    if (event.ctrlKey || event.metaKey || event.altKey || elsewhere) return;
    const pressable = event.target.closest("a, button, summary");
    if (event.key === "j" || event.key === "ArrowRight") walk(1);
    else if (event.key === "k" || event.key === "ArrowLeft") walk(-1);
    else if (event.key === " " && !pressable && keys()) play();
    else if (event.key === "l" && document.getElementById("period-live")) document.getElementById("period-live").click();
    else if (event.key === "?" && keys()) keys().showModal();
    else return;
    event.preventDefault();
  });

  function walk(by) {
    stop();
    step(by);
  }

  document.addEventListener("click", (event) => {
    const player = event.target.closest("[data-replay]");
    if (player) play();
    if (player) player.closest("details")?.removeAttribute("open");
    if (event.target === keys()) keys().close();
    if (event.target.closest("[data-keys]")) keys().showModal();
    const cell = event.target.closest("[data-open]");
    if (!cell || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    open(Number(cell.dataset.open));
  });

  // The strip of notes is one stop of the tab key: its cell of the period that is shown.
  function markStrip() {
    const cells = [...document.querySelectorAll("[data-open]")];
    const focused = cells.includes(document.activeElement) ? document.activeElement.parentElement : null;
    for (const cell of cells) {
      const here = Number(cell.dataset.open) === shown();
      cell.tabIndex = here ? 0 : -1;
      cell.toggleAttribute("aria-current", here);
      if (here) cell.setAttribute("aria-current", "true");
      if (here && cell.parentElement === focused) cell.focus();
    }
  }

  // How long a call has waited, counted from what the server said.
  setInterval(() => {
    document.querySelectorAll("[data-age]").forEach((node) => {
      node.dataset.age = Number(node.dataset.age) + 1;
      const seconds = Number(node.dataset.age);
      const parts = [[Math.floor(seconds / 60), "min"], [seconds % 60, "s"]].filter(([amount]) => amount);
      node.textContent = parts.map((part) => part.join(" ")).join(" ");
    });
  }, 1000);

  let touch = null;
  document.addEventListener("touchstart", (event) => {
    const inside = event.target.closest("#period") && !event.target.closest("pre, table");
    touch = inside && event.touches.length === 1 ? event.touches[0] : null;
  }, { passive: true });
  document.addEventListener("touchend", (event) => {
    if (!touch) return;
    const end = event.changedTouches[0];
    const across = end.clientX - touch.clientX;
    if (Math.abs(across) > 70 && Math.abs(end.clientY - touch.clientY) < 40) step(across < 0 ? 1 : -1);
    touch = null;
  }, { passive: true });

  document.addEventListener("chart:select", (event) => open(event.detail.period));

  // A period that is loaded again, as one in play is, stays where the reader scrolled to.
  let read = null;
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.target.id === "period") read = { place: placeOf(panel()), top: panel().scrollTop };
  });
  function placeOf({ dataset }) {
    return `${dataset.period} ${dataset.tab}`;
  }

  document.addEventListener("htmx:afterSwap", (event) => {
    if (read?.place === placeOf(panel())) panel().scrollTop = read.top;
    read = null;
    if (event.detail.target.id === "run-live") tell("chart:refresh");
  });
  document.addEventListener("htmx:afterSettle", () => {
    const index = shown();
    if (wanted === null && [...charts()].some((chart) => chart.dataset.select !== String(index))) {
      tell("chart:mark", { period: index });
    }
    markStrip();
    labelReplay();
    document.title = document.title.replace(/period \d+/, `period ${index}`);
  });
})();
