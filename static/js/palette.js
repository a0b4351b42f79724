// The command palette: Ctrl-K or / opens it, arrows choose, Enter goes.
(() => {
  "use strict";

  const palette = document.getElementById("palette");
  if (!palette) return;
  const field = palette.querySelector("input");
  const options = () => [...palette.querySelectorAll("[role=option]")];

  function choose(chosen) {
    for (const option of options()) option.setAttribute("aria-selected", String(option === chosen));
    if (chosen) field.setAttribute("aria-activedescendant", chosen.id);
    else field.removeAttribute("aria-activedescendant");
    chosen?.scrollIntoView({ block: "nearest" });
  }

  function open() {
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

  field.addEventListener("keydown", (event) => {
    const all = options();
    const at = all.findIndex((option) => option.getAttribute("aria-selected") === "true");
    if (event.key === "ArrowDown") choose(all[(at + 1) % all.length]);
    else if (event.key === "ArrowUp") choose(all[(at - 1 + all.length) % all.length]);
    else if (event.key === "Enter") all[at]?.click();
    else return;
    event.preventDefault();
  });

  document.addEventListener("htmx:afterSwap", (event) => {
    if (event.target.id === "palette-list") choose(options()[0]);
  });
})();
