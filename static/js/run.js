// The run page and the comparison of runs: chart and inspector follow each other; j, k, arrow keys and swipes walk through the periods.
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

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, [role=dialog]")) return;
    if (event.key === "j" || event.key === "ArrowRight") step(1);
    else if (event.key === "k" || event.key === "ArrowLeft") step(-1);
    else return;
    event.preventDefault();
  });

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

  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.detail.target.id === "run-live") tell("chart:refresh");
  });
  document.addEventListener("htmx:afterSettle", () => {
    const index = shown();
    if (wanted === null && [...charts()].some((chart) => chart.dataset.select !== String(index))) {
      tell("chart:mark", { period: index });
    }
    document.title = document.title.replace(/period \d+/, `period ${index}`);
  });
})();
