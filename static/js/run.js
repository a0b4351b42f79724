// The run page: chart and inspector follow each other; j, k, arrow keys and swipes walk through the periods.
(() => {
  "use strict";

  let wanted = null;

  const panel = () => document.getElementById("period");
  const chart = () => document.querySelector(".chart");

  function open(index) {
    const here = panel();
    const last = Number(here.dataset.last);
    index = Math.max(0, Math.min(last, index));
    if (index === Number(here.dataset.period) && wanted === null) return;
    wanted = index;
    chart()?.dispatchEvent(new CustomEvent("chart:mark", { detail: { period: index } }));
    const address = here.dataset.url.replace(/0\/$/, `${index}/`);
    const query = here.dataset.tab === "notes" ? "" : `?tab=${here.dataset.tab}`;
    htmx.ajax("GET", address + query, { source: "#inspector", target: "#period", swap: "outerHTML" });
  }

  function step(by) {
    open((wanted ?? Number(panel().dataset.period)) + by);
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
    if (event.detail.target.id === "run-live") chart()?.dispatchEvent(new CustomEvent("chart:refresh"));
  });
  document.addEventListener("htmx:afterSettle", () => {
    const index = Number(panel().dataset.period);
    if (index === wanted) wanted = null;
    const shown = chart();
    if (wanted === null && shown && shown.dataset.select !== String(index)) {
      shown.dispatchEvent(new CustomEvent("chart:mark", { detail: { period: index } }));
    }
    document.title = document.title.replace(/period \d+/, `period ${index}`);
  });
})();
