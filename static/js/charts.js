// Draws every <div class="chart" data-figure="URL">.
//
// The URL answers with {data, layout}; strings "token:NAME" in it stand for the custom properties of tokens.css.
// Attributes: data-select is the chosen period. Events an element listens to: chart:refresh (load again), chart:mark
// with detail {period}. A click on a period dispatches chart:select with detail {period}; a click on a run opens it.
(() => {
  "use strict";

  const NARROW = 560;
  const FAILED = "The chart could not be loaded. Reload the page to try again.";
  const STALE = "The chart could not be updated, so it shows an earlier state.";
  const charts = new Map();

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
    const width = chart.plot.clientWidth;
    const narrow = width < NARROW;
    const layout = patched(marked.layout, narrow ? marked.layout.meta.narrow : null);
    const height = (narrow && layout.meta.narrow?.height) || layout.meta.height;
    if (matchMedia("(pointer: coarse)").matches) layout.dragmode = false;
    return themed({ data: marked.data, layout: { ...layout, width, height } }, new Map());
  }

  function draw(chart) {
    if (!chart.figure || !chart.plot.clientWidth) return;
    const { data, layout } = ready(chart);
    chart.width = chart.plot.clientWidth;
    chart.plot.style.height = `${layout.height}px`;
    chart.plot.setAttribute("aria-label", layout.meta.description);
    chart.plot.dataset.select = layout.meta.select || "";
    chart.tools.hidden = !data.length;
    const first = !chart.drawn;
    chart.drawn = true;
    Plotly.react(chart.plot, data, layout, { displayModeBar: false, doubleClick: "reset", showTips: false, displaylogo: false });
    if (first) listen(chart);
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

  function save(chart, format) {
    const { data, layout } = ready(chart);
    const heads = [document.querySelector("h1"), chart.element.closest(".panel")?.querySelector("h2")];
    const title = heads.map((head) => head?.textContent.trim()).filter(Boolean).join(": ") || document.title;
    layout.title = { text: title.replace(/[<>&]/g, " "), x: 0.02, xanchor: "left", y: 1, yref: "container", yanchor: "top",
      pad: { t: 12 }, font: { size: 14, color: token("ink") } };
    layout.margin = { ...layout.margin, t: layout.margin.t + 30 };
    layout.legend = { ...layout.legend, y: 1 - 30 / (layout.height + 30) };
    const filename = title.toLowerCase().replace(/[^a-z0-9]+/g, "-").replace(/^-|-$/g, "") || "chart";
    Plotly.downloadImage({ data, layout: { ...layout, height: layout.height + 30 } },
      { format, filename, scale: format === "png" ? 2 : 1, width: layout.width, height: layout.height + 30 });
  }

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
      const response = await fetch(chart.element.dataset.figure, options);
      if (response.status === 304) return say(chart, "");
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
    }
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

  function build(element) {
    const chart = { element, plot: document.createElement("div"), tools: document.createElement("div"), note: document.createElement("p") };
    chart.plot.className = "chart-plot";
    chart.plot.setAttribute("role", "img");
    chart.tools.className = "chart-tools";
    chart.tools.hidden = true;
    chart.reset = button("Whole run", "Show the whole run again", () => resetZoom(chart));
    chart.reset.hidden = true;
    chart.tools.append(chart.reset, button("PNG", "Save as PNG", () => save(chart, "png")), button("SVG", "Save as SVG", () => save(chart, "svg")));
    chart.note.className = "chart-note";
    chart.note.setAttribute("role", "status");
    chart.note.hidden = true;
    element.replaceChildren(chart.plot, chart.tools, chart.note);
    return chart;
  }

  function mount(element) {
    if (charts.has(element)) return;
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
      if (!entries.some((entry) => entry.isIntersecting)) return;
      chart.sight.disconnect();
      chart.seen = true;
      load(chart);
    }, { rootMargin: "300px" });
    chart.sight.observe(element);
    chart.size = new ResizeObserver(() => {
      if (chart.plot.clientWidth !== chart.width) requestAnimationFrame(() => charts.has(element) && draw(chart));
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
  }

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
