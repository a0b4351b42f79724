// On every page: the theme, local times, menus that close, polling that rests, dialogs that ask, failed requests.
(() => {
  "use strict";

  const root = document.documentElement;
  const dark = matchMedia("(prefers-color-scheme: dark)");

  function shownTheme() {
    return root.dataset.theme || (dark.matches ? "dark" : "light");
  }

  function toggleTheme() {
    root.dataset.theme = shownTheme() === "dark" ? "light" : "dark";
    try { localStorage.setItem("theme", root.dataset.theme); } catch { /* then it lasts for this page */ }
    labelTheme();
  }

  function labelTheme() {
    const other = shownTheme() === "dark" ? "light" : "dark";
    document.querySelector("[data-theme-toggle]")?.setAttribute("aria-label", `Change to the ${other} theme`);
  }

  const moment = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric", hour: "2-digit", minute: "2-digit" });

  const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });

  const exact = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit", second: "2-digit" });

  function localTimes(inside) {
    inside.querySelectorAll("time[data-when]").forEach((node) => {
      const format = { clock, exact }[node.dataset.when] || moment;
      node.textContent = format.format(new Date(node.dateTime));
      node.title = node.dateTime;
      node.removeAttribute("data-when");
    });
  }

  // Places that scroll sideways stay where they are when a live part is replaced, and so does what was opened.
  const kept = new Map();

  function keep(target) {
    kept.clear();
    target.querySelectorAll("[data-keep]").forEach((node) => kept.set(node.dataset.keep, { left: node.scrollLeft, open: node.open }));
  }

  // What was typed after a form was sent stays, also when the answer replaces its field.
  const typed = new Map();

  function keepTyped({ elt, requestConfig }) {
    typed.clear();
    const sent = requestConfig.formData;
    for (const field of (elt.form ?? elt.closest("form"))?.elements ?? []) {
      if (!field.id || !sent.has(field.name) || /^(checkbox|radio|hidden|file|submit)$/.test(field.type)) continue;
      if (sent.get(field.name) !== field.value) typed.set(field.id, field.value);
    }
  }

  function restore() {
    typed.forEach((value, id) => {
      const field = document.getElementById(id);
      if (field) field.value = value;
    });
    kept.forEach((state, name) => {
      const node = document.querySelector(`[data-keep="${CSS.escape(name)}"]`);
      if (!node) return;
      node.scrollLeft = state.left;
      if (state.open !== undefined) node.open = state.open;
    });
  }

  document.addEventListener("click", (event) => {
    if (event.target.closest("[data-theme-toggle]")) toggleTheme();
    if (event.target.closest("[data-reload]")) location.reload();
    document.querySelectorAll("details.menu[open]").forEach((menu) => {
      if (!menu.contains(event.target) || event.target.closest("[popovertarget]")) menu.open = false;
    });
    const all = event.target.closest("[data-tick-all]");
    if (all) tickAll(document.querySelectorAll(`input[type=checkbox][form="${all.dataset.tickAll}"]`));
    const copy = event.target.closest("[data-copy]");
    if (copy) copyText(copy);
    const save = event.target.closest("[data-save]");
    if (save) window.saveText(save.dataset.name, document.getElementById(save.dataset.save).textContent, "text/plain");
  });

  window.saveText = (name, text, type) => {
    const link = document.createElement("a");
    link.href = URL.createObjectURL(new Blob([text], { type }));
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 1000);
  };

  function tickAll(boxes) {
    const checked = [...boxes].some((box) => !box.checked);
    boxes.forEach((box) => { box.checked = checked; });
  }

  async function copyText(button) {
    const text = document.getElementById(button.dataset.copy)?.textContent ?? "";
    try {
      await navigator.clipboard.writeText(text.trim());
      button.textContent = "Copied";
    } catch {
      button.textContent = "Select and copy it by hand";
    }
  }

  document.addEventListener("keydown", (event) => {
    if (event.key !== "Escape") return;
    const menu = document.querySelector("details.menu[open]");
    if (!menu) return;
    menu.open = false;
    menu.querySelector("summary").focus();
  });

  // A name typed to confirm enables the button of its form.
  document.addEventListener("input", (event) => {
    const wanted = event.target.dataset?.confirm;
    if (wanted === undefined) return;
    event.target.form.querySelector("[type=submit]").disabled = event.target.value.trim() !== wanted;
  });

  // A field that belongs to some choices of another field, such as "game pricing", is in sight only with one of them.
  function showFitting() {
    document.querySelectorAll("[data-only-for]").forEach((field) => {
      const [name, ...values] = field.dataset.onlyFor.split(" ");
      const chosen = [...field.form.elements].filter((one) => one.name === name && (one.checked || one.matches("select")));
      const fits = chosen.some((one) => values.includes(one.value.split("/")[0]));
      const box = field.closest(".field");
      box.toggleAttribute("data-fits", fits || Boolean(box.querySelector(".error")?.textContent));
    });
  }

  document.addEventListener("change", showFitting);
  document.addEventListener("change", ({ target }) => target.matches("[data-submits]") && target.form.requestSubmit());
  document.addEventListener("htmx:afterSwap", showFitting);

  // What a script asked for without a session: the whole page goes to the log-in page, as htmx does by itself.
  window.logInFirst = (response) => {
    if (response.status === 401 && response.headers.has("HX-Redirect")) location.assign(response.headers.get("HX-Redirect"));
  };

  // A hidden page does not poll, nor does one that is being left: what it shows may just have been deleted.
  // The browser reports a download as leaving too, so polling goes on after ten seconds.
  const LEAVING = 10000;
  let leftAt = -Infinity;
  window.addEventListener("beforeunload", () => { leftAt = performance.now(); });
  document.addEventListener("htmx:beforeRequest", (event) => {
    const polls = event.detail.requestConfig.triggeringEvent === undefined && event.detail.elt.matches("[data-poll]");
    if (polls && (document.hidden || performance.now() - leftAt < LEAVING)) event.preventDefault();
  });
  document.addEventListener("htmx:beforeSwap", ({ detail }) => {
    keep(detail.target);
    keepTyped(detail);
  });
  document.addEventListener("htmx:afterSwap", restore);
  document.addEventListener("htmx:load", (event) => localTimes(event.detail.elt));

  // What could not be loaded is told: a part in its own place, anything else at the foot of the window.
  function tellFailure({ detail: { elt, xhr } }) {
    const when = elt.getAttribute("hx-trigger") || "";
    if (when.startsWith("every")) return; // It asks again by itself.
    const notice = document.createElement("p");
    notice.className = "notice bad";
    notice.setAttribute("role", "alert");
    notice.textContent = xhr.status
      ? `The server answered with an error (${xhr.status}). Reload the page and try again.`
      : "The server did not answer. Check the connection and try again.";
    delete elt.dataset.awaited;
    if (/^(load|revealed|toggle)/.test(when)) return elt.replaceChildren(notice);
    forgetFailure();
    notice.id = "failure";
    document.body.append(notice);
  }

  function forgetFailure() {
    document.getElementById("failure")?.remove();
  }

  document.addEventListener("htmx:responseError", tellFailure);
  document.addEventListener("htmx:sendError", tellFailure);
  document.addEventListener("htmx:afterOnLoad", (event) => { if (event.detail.successful) forgetFailure(); });

  dark.addEventListener("change", labelTheme);
  // On a narrow page the tabs scroll: the present one is in sight.
  function showTab() {
    const tab = document.querySelector(".section-tabs > nav > [aria-current]");
    if (tab) tab.parentElement.scrollLeft = tab.offsetLeft - (tab.parentElement.clientWidth - tab.offsetWidth) / 2;
  }

  document.addEventListener("DOMContentLoaded", () => {
    showTab();
    labelTheme();
    localTimes(document);
    showFitting();
  });
})();
