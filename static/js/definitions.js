// A term opens its definition beside it. Without this script its link leads to the page of the definition.
(() => {
  "use strict";

  const popover = document.getElementById("definition");
  if (!popover?.showPopover) return;
  const MARGIN = 12;

  function putBeside(term) {
    const box = term.getBoundingClientRect();
    const left = Math.max(MARGIN, Math.min(box.left, document.documentElement.clientWidth - popover.offsetWidth - MARGIN));
    const below = box.bottom + 6;
    const above = box.top - popover.offsetHeight - 6;
    const top = below + popover.offsetHeight > innerHeight && above > MARGIN ? above : below;
    popover.style.left = `${left + scrollX}px`;
    popover.style.top = `${top + scrollY}px`;
  }

  document.addEventListener("click", async (event) => {
    const term = event.target.closest("a.term, a.explained");
    if (!term || term.target || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    // A term in the title of a section that folds does not fold it.
    event.stopPropagation();
    popover.replaceChildren();
    const anchor = term.hash.slice(1) || term.pathname.split("/").at(-2);
    await htmx.ajax("GET", `${popover.dataset.address}${anchor}/`, { target: popover, swap: "innerHTML" });
    if (!popover.firstElementChild) {
      location.assign(term.href);
      return;
    }
    popover.showPopover();
    putBeside(term);
    popover.focus({ preventScroll: true });
  });
})();
