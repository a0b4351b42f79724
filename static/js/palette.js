// The command palette: Ctrl-K or / opens it, arrows choose, Enter goes.
(() => {
  "use strict";

  const palette = document.getElementById("palette");
  if (!palette) return;
  const field = palette.querySelector("input");
  const options = () => [...palette.querySelectorAll("[role=option]")];
  // The list belongs to what was typed before the last request. Enter waits for the list of what is typed now, and
  // what the arrows chose stays chosen in it.
  let answered = null;
  let chosenPath = null;
  let entered = false;

  function choose(chosen) {
    for (const option of options()) option.setAttribute("aria-selected", String(option === chosen));
    if (chosen) field.setAttribute("aria-activedescendant", chosen.id);
    else field.removeAttribute("aria-activedescendant");
    chosen?.scrollIntoView({ block: "nearest" });
  }

  function open() {
    entered = false;
    chosenPath = null;
    palette.showModal();
    field.select();
    htmx.trigger(field, "open");
  }

  document.addEventListener("click", (event) => {
    if (event.target === palette) palette.close();
    if (!event.target.closest("[data-palette]")) return;
    event.preventDefault();
    open();
  });

  document.addEventListener("keydown", (event) => {
    const typing = event.target.closest("input, textarea, select, [contenteditable]");
    const asked = event.key === "k" && (event.ctrlKey || event.metaKey) || event.key === "/" && !typing;
    if (!asked || palette.open) return;
    event.preventDefault();
    open();
  });

  function go() {
    entered = answered !== field.value;
    if (!entered) palette.querySelector("[aria-selected=true]")?.click();
  }

  field.addEventListener("input", () => {
    chosenPath = null;
    entered = false;
  });

  field.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      const all = options();
      const at = all.findIndex((option) => option.getAttribute("aria-selected") === "true");
      const next = all[(at + step + all.length) % all.length];
      choose(next);
      chosenPath = next?.pathname;
    } else if (event.key === "Enter") go();
    else return;
    event.preventDefault();
  });

  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.target.id !== "palette-list") return;
    answered = event.detail.requestConfig.parameters.q;
    choose(options().find((option) => option.pathname === chosenPath) ?? options()[0]);
    if (entered && palette.open) go();
  });
})();
