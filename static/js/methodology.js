// An address of the time when the methodology was one page leads to the page that its anchor is on now.
(() => {
  "use strict";

  const link = location.hash && document.getElementById(location.hash.slice(1))?.querySelector(":scope > a");
  if (link) location.replace(link.href);
})();
