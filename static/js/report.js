// Draws the figures of a report, whose data is in the same file.
(() => {
  "use strict";

  const NARROW = 560;

  function patched(layout, patch) {
    const result = { ...layout };
    for (const [key, value] of Object.entries(patch || {})) {
      const both = value && !Array.isArray(value) && typeof value === "object" && result[key];
      result[key] = both ? { ...result[key], ...value } : value;
    }
    return result;
  }

  function draw(place) {
    const figure = JSON.parse(document.getElementById(place.dataset.figure).textContent);
    const width = place.clientWidth;
    const { narrow, middle } = figure.layout.meta;
    const change = width < NARROW ? narrow : width < middle?.below ? middle : null;
    const layout = patched(figure.layout, change);
    const height = layout.height || layout.meta.height;
    place.style.setProperty("--shape", `${width} / ${height}`);
    Plotly.react(place, figure.data, { ...layout, width, height, dragmode: false }, { displayModeBar: false, showTips: false });
    // On paper the drawing becomes as wide as the page.
    for (const svg of place.querySelectorAll(".main-svg")) svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  }

  function drawAll() {
    if (!matchMedia("print").matches) document.querySelectorAll("[data-figure]").forEach(draw);
  }

  drawAll();
  addEventListener("resize", drawAll);
})();
