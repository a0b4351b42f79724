// Draws every <div class="chart" data-figure="URL">.
//
// The URL answers with {data, layout}; strings "token:NAME" in it stand for the custom properties of tokens.css.
// Attributes: data-select is the chosen period. Events an element listens to: chart:refresh (load again), chart:mark
// with detail {period}. A click on a period dispatches chart:select with detail {period}; a click on a run opens it.
// Charts in sight are loaded first, the others one by one when the browser is idle, those in a fold when it is opened.
// Before printing, all are drawn for paper.
// Plotly is loaded with the first chart of a page, since it weighs more than all the rest.
(() => {
  "use strict";

  const NARROW = 560;
  const PAPER = 680; // Pixels between the margins of a portrait page. charts.css fits the drawing to other paper.
  const FAILED = "The chart could not be loaded. Reload the page to try again.";
  const STALE = "The chart could not be updated, so it shows an earlier state.";
  const PLOTLY = document.currentScript.dataset.plotly;
  const charts = new Map();
  let plotly;
  let onPaper = false;

  // Colours

  const probe = document.createElement("span");
  probe.hidden = true;

  function token(name) {
    if (name === "sans") return getComputedStyle(document.body).fontFamily;
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  }

  function themed(value, known) {
    if (typeof value === "string" && value.startsWith("token:")) {
      const name = value.slice(6);
      if (!known.has(name)) known.set(name, token(name));
      return known.get(name);
    }
    if (Array.isArray(value)) return value.map((item) => themed(item, known));
    if (value && typeof value === "object") {
      return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, themed(item, known)]));
    }
    return value;
  }

  function patched(layout, patch) {
    const result = { ...layout };
    for (const [key, value] of Object.entries(patch || {})) {
      const both = value && !Array.isArray(value) && typeof value === "object" && result[key];
      result[key] = both ? { ...result[key], ...value } : value;
    }
    return result;
  }

  // The chosen period

  function larger(trace, period) {
    const at = trace.meta?.mark ? (trace.meta.periods || trace.x).indexOf(period) : -1;
    if (at < 0 || trace.y[at] == null) return null;
    const colour = trace.line?.color || trace.marker?.color;
    return {
      type: "scatter", mode: "markers", x: [trace.x[at]], y: [trace.y[at]], xaxis: trace.xaxis, yaxis: trace.yaxis,
      marker: { size: 9, color: colour, line: { width: 2, color: "token:panel" } },
      hoverinfo: "skip", showlegend: false, cliponaxis: false,
    };
  }

  function withMark(figure, period) {
    if (!Number.isInteger(period) || !figure.data.length) return figure;
    if (figure.layout.meta.select !== "period" && !figure.layout.meta.band) return figure;
    const over = figure.data.some((trace) => trace.type === "heatmap");
    const band = {
      type: "rect", xref: "x", x0: period - 0.5, x1: period + 0.5, yref: "paper", y0: 0, y1: 1,
      layer: over ? "above" : "below", fillcolor: over ? "rgba(0,0,0,0)" : "token:accent-fill",
      opacity: over ? 1 : 0.6, line: { width: over ? 1.5 : 0, color: "token:ink" },
    };
    const dots = figure.data.map((trace) => larger(trace, period)).filter(Boolean);
    const shapes = [...(figure.layout.shapes || []), ...(figure.layout.meta.band === false ? [] : [band])];
    return { data: [...figure.data, ...dots], layout: { ...figure.layout, shapes } };
  }

  // Drawing

  function ready(chart) {
    const period = chart.element.dataset.select;
    const marked = withMark(chart.figure, period === undefined || period === "" ? NaN : Number(period));
    const width = onPaper ? PAPER : chart.plot.clientWidth;
    const narrow = width < NARROW;
    const { meta } = marked.layout;
    const change = narrow ? meta.narrow : width < meta.middle?.below ? meta.middle : null;
    const layout = patched(marked.layout, change);
    const height = change?.height || meta.height;
    if (matchMedia("(pointer: coarse)").matches) layout.dragmode = false;
    return themed({ data: marked.data, layout: { ...layout, width, height } }, new Map());
  }

  function draw(chart) {
    if (!chart.figure || !chart.plot.clientWidth || !window.Plotly) return;
    const { data, layout } = ready(chart);
    chart.width = layout.width;
    chart.plot.style.height = `${layout.height}px`;
    chart.plot.setAttribute("role", "img");
    chart.plot.setAttribute("aria-label", layout.meta.description);
    chart.plot.dataset.select = layout.meta.select || "";
    chart.tools.hidden = !data.length;
    const first = !chart.drawn;
    chart.drawn = true;
    Plotly.react(chart.plot, data, layout, { displayModeBar: false, doubleClick: "reset", showTips: false, displaylogo: false });
    if (first) listen(chart);
    chart.plot.style.setProperty("--shape", `${layout.width} / ${layout.height}`);
    for (const svg of chart.plot.querySelectorAll(".main-svg")) {
      if (onPaper) svg.setAttribute("viewBox", `0 0 ${layout.width} ${layout.height}`);
      else svg.removeAttribute("viewBox");
    }
  }

  function listen(chart) {
    chart.plot.on("plotly_click", (event) => {
      const point = event.points[0];
      const kind = chart.figure.layout.meta.select;
      if (kind === "period") {
        const detail = { period: Number.isInteger(point.customdata) ? point.customdata : Math.round(point.x) };
        chart.element.dispatchEvent(new CustomEvent("chart:select", { bubbles: true, detail }));
      } else if (kind === "url" && typeof point.customdata === "string" && point.customdata.startsWith("/")) {
        if (event.event?.ctrlKey || event.event?.metaKey) window.open(point.customdata, "_blank", "noopener");
        else window.location.assign(point.customdata);
      }
    });
    chart.plot.on("plotly_relayout", () => {
      const axis = chart.plot.layout.xaxis;
      chart.reset.hidden = !axis || String(axis.range.map(Number)) === String(chart.figure.layout.xaxis.range.map(Number));
    });
  }

  function resetZoom(chart) {
    const change = {};
    for (const [name, axis] of Object.entries(chart.figure.layout)) {
      if (name.startsWith("xaxis") && axis.range) change[`${name}.range`] = [...axis.range];
    }
    Plotly.relayout(chart.plot, change);
  }

  // Files

  function titleOf(chart) {
    const before = (head) => head.compareDocumentPosition(chart.element) & Node.DOCUMENT_POSITION_FOLLOWING;
    const heads = [...(chart.element.closest(".panel")?.querySelectorAll("h2") || [])].filter(before);
    const title = [document.querySelector("h1"), heads.at(-1)]
      .map((head) => head?.textContent.replace(/\s+/g, " ").trim());
    return title.filter(Boolean).join(": ") || document.title;
  }

  function fileName(chart) {
    return titleOf(chart).toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "").slice(0, 80) || "chart";
  }

  function savePicture(chart, format) {
    const { data, layout } = ready(chart);
    layout.title = { text: titleOf(chart).replace(/[<>&]/g, " "), x: 0.02, xanchor: "left", y: 1, yref: "container",
      yanchor: "top", pad: { t: 12 }, font: { size: 14, color: token("ink") } };
    layout.margin = { ...layout.margin, t: layout.margin.t + 30 };
    layout.legend = { ...layout.legend, y: 1 - 30 / (layout.height + 30) };
    Plotly.downloadImage({ data, layout: { ...layout, height: layout.height + 30 } },
      { format, filename: fileName(chart), scale: format === "png" ? 2 : 1, width: layout.width, height: layout.height + 30 });
  }

  function saveText(chart, text, format, type) {
    window.saveText(`${fileName(chart)}.${format}`, text, type);
  }

  function cell(value) {
    // As infrastructure/text/csv_cells.py: spreadsheets run text with such a start as a formula.
    const text = typeof value === "string" && /^[=+\-@\t\r\n＝＋－＠]/.test(value) ? `'${value}` : String(value ?? "");
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  }

  function asCsv({ data }) {
    const lines = [["trace", "x", "y", "z", "words"]];
    for (const { type, name, x, y, z, hovertext } of data) {
      const words = (...at) => (Array.isArray(hovertext) ? at.reduce((found, place) => found?.[place], hovertext) : hovertext);
      if (type === "heatmap") z.forEach((row, i) => row.forEach((value, j) => lines.push([name, x[j], y[i], value, words(i, j)])));
      else x.forEach((value, i) => lines.push([name, value, y[i], "", words(i)]));
    }
    return lines.map((line) => line.map(cell).join(",")).join("\r\n") + "\r\n";
  }

  const FORMATS = {
    PNG: (chart) => savePicture(chart, "png"),
    SVG: (chart) => savePicture(chart, "svg"),
    CSV: (chart) => saveText(chart, asCsv(chart.figure), "csv", "text/csv"),
    "CSV for Excel": (chart) => saveText(chart, "\ufeff" + asCsv(chart.figure), "csv", "text/csv"),
    JSON: (chart) => saveText(chart, JSON.stringify(ready(chart)), "json", "application/json"),
  };

  // Loading

  function say(chart, sentence) {
    chart.note.textContent = sentence;
    chart.note.hidden = !sentence;
  }

  async function load(chart) {
    chart.request?.abort();
    const request = (chart.request = new AbortController());
    chart.element.setAttribute("aria-busy", "true");
    try {
      // The browser keeps no figure, since only members may see it: whether it has changed is asked for here.
      const headers = { Accept: "application/json", ...(chart.etag ? { "If-None-Match": chart.etag } : {}) };
      const options = { credentials: "same-origin", cache: "no-store", signal: request.signal, headers };
      const [response] = await Promise.all([fetch(chart.element.dataset.figure, options), plotly]);
      if (response.status === 304) return say(chart, "");
      window.logInFirst?.(response);
      if (!response.ok || response.redirected) throw new Error(`status ${response.status}`);
      const etag = response.headers.get("ETag");
      say(chart, "");
      if (!chart.figure || !etag || etag !== chart.etag) {
        chart.figure = await response.json();
        chart.etag = etag;
        draw(chart);
      }
    } catch (error) {
      if (error.name !== "AbortError") say(chart, chart.figure ? STALE : FAILED);
    } finally {
      if (chart.request === request) chart.element.removeAttribute("aria-busy");
      loadRest();
    }
  }

  function loadPlotly() {
    return new Promise((resolve, reject) => {
      const script = document.createElement("script");
      Object.assign(script, { src: PLOTLY, onload: resolve, onerror: reject });
      document.head.append(script);
    });
  }

  function see(chart) {
    chart.sight.disconnect();
    chart.seen = true;
    load(chart);
  }

  const whenIdle = window.requestIdleCallback || ((act) => setTimeout(act, 200));

  function loadRest() {
    if (navigator.connection?.saveData) return;
    whenIdle(() => {
      const all = [...charts.values()];
      const next = all.find((chart) => !chart.seen && !chart.element.closest("details:not([open])"));
      if (next && !all.some((chart) => chart.element.hasAttribute("aria-busy"))) see(next);
    }, { timeout: 300 });
  }

  // Printing

  function loadNow(chart) {
    // The browser does not wait for a promise before it prints.
    const request = new XMLHttpRequest();
    request.open("GET", chart.element.dataset.figure, false);
    request.setRequestHeader("Accept", "application/json");
    try {
      request.send();
      if (request.status === 200) chart.figure = JSON.parse(request.responseText);
    } catch { /* The place of the chart stays empty. */ }
  }

  function toPaper() {
    if (onPaper) return;
    onPaper = true;
    probe.style.colorScheme = "light";
    for (const chart of charts.values()) {
      if (!chart.figure) loadNow(chart);
      draw(chart);
    }
  }

  function toScreen() {
    if (!onPaper) return;
    onPaper = false;
    probe.style.colorScheme = "";
    redrawAll();
  }

  // Mounting

  function button(label, name, act) {
    const node = document.createElement("button");
    node.type = "button";
    node.textContent = label;
    if (name) node.setAttribute("aria-label", name);
    node.addEventListener("click", act);
    return node;
  }

  function exportMenu(chart) {
    const menu = document.createElement("details");
    menu.className = "menu";
    const summary = document.createElement("summary");
    summary.textContent = "Export";
    const panel = document.createElement("div");
    panel.className = "menu-panel";
    for (const [format, save] of Object.entries(FORMATS)) {
      const act = () => { menu.open = false; summary.focus(); save(chart); };
      panel.append(button(format, `Save the chart as ${format}`, act));
    }
    menu.append(summary, panel);
    return menu;
  }

  function build(element) {
    const chart = { element, plot: document.createElement("div"), tools: document.createElement("div"), note: document.createElement("p") };
    chart.plot.className = "chart-plot";
    chart.tools.className = "chart-tools";
    chart.tools.hidden = true;
    chart.reset = button("Whole run", "Show the whole run again", () => resetZoom(chart));
    chart.reset.hidden = true;
    chart.tools.append(chart.reset, exportMenu(chart));
    chart.note.className = "chart-note";
    chart.note.setAttribute("role", "status");
    chart.note.hidden = true;
    element.replaceChildren(chart.plot, chart.tools, chart.note);
    return chart;
  }

  function mount(element) {
    if (charts.has(element)) return;
    plotly ||= loadPlotly();
    const chart = build(element);
    charts.set(element, chart);
    chart.leave = new AbortController();
    const { signal } = chart.leave;
    element.addEventListener("chart:refresh", () => chart.seen && load(chart), { signal });
    element.addEventListener("chart:mark", (event) => {
      element.dataset.select = event.detail.period ?? "";
      if (chart.drawn) draw(chart);
    }, { signal });
    chart.sight = new IntersectionObserver((entries) => {
      if (entries.some((entry) => entry.isIntersecting)) see(chart);
    }, { rootMargin: "300px" });
    chart.sight.observe(element);
    chart.size = new ResizeObserver(() => {
      if (onPaper || chart.plot.clientWidth === chart.width) return;
      requestAnimationFrame(() => charts.has(element) && !onPaper && draw(chart));
    });
    chart.size.observe(chart.plot);
  }

  function unmount(chart) {
    charts.delete(chart.element);
    chart.request?.abort();
    chart.leave.abort();
    chart.sight.disconnect();
    chart.size.disconnect();
    if (chart.drawn) Plotly.purge(chart.plot);
    chart.element.replaceChildren();
  }

  function mountAll() {
    for (const [element, chart] of [...charts]) if (!element.isConnected) unmount(chart);
    document.querySelectorAll(".chart[data-figure]").forEach(mount);
    loadRest();
  }

  function redrawAll() {
    charts.forEach((chart) => chart.drawn && draw(chart));
  }

  function start() {
    document.body.append(probe);
    mountAll();
    for (const name of ["htmx:load", "htmx:afterSettle", "htmx:historyRestore"]) document.addEventListener(name, mountAll);
    new MutationObserver(redrawAll).observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redrawAll);
    document.fonts?.ready.then(redrawAll);
    window.addEventListener("beforeprint", toPaper);
    window.addEventListener("afterprint", toScreen);
    matchMedia("print").addEventListener("change", (event) => (event.matches ? toPaper() : toScreen()));
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
