// Runs before the page is painted, so that a chosen theme does not flash.
(() => {
  "use strict";
  document.documentElement.classList.add("js");
  let chosen = null;
  try { chosen = localStorage.getItem("theme"); } catch { /* storage may be forbidden; then the system decides */ }
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
})();
