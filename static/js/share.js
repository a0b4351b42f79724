// On the shared page of a run with notes: a point of the chart opens its period.
(() => {
  "use strict";
  document.addEventListener("chart:select", (event) => {
    const { periods } = event.target.dataset;
    if (periods) window.location.assign(`${periods}${event.detail.period}/`);
  });
})();
