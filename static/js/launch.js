// The launch form: finding agents, and the settings of a custom difficulty for the chosen environment.
(() => {
  "use strict";

  function find(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    document.querySelectorAll(".agent").forEach((row) => {
      row.hidden = !words.every((word) => row.dataset.find.includes(word));
      shown += !row.hidden;
    });
    document.querySelectorAll(".agent-group").forEach((group) => {
      group.hidden = ![...group.querySelectorAll(".agent")].some((row) => !row.hidden);
      if (words.length) group.open = true;
    });
    document.getElementById("agent-none").hidden = shown > 0;
  }

  function count() {
    const chosen = document.querySelectorAll(".agent input:checked").length;
    document.getElementById("agent-count").textContent = `${chosen} chosen`;
  }

  function custom() {
    const wanted = document.querySelector('input[name="difficulties"][value="CUSTOM"]')?.checked;
    const chosen = [...document.querySelectorAll('input[name="environments"]:checked')].map((box) => box.value);
    document.getElementById("custom").toggleAttribute("data-closed", !wanted);
    document.querySelectorAll(".custom-group").forEach((group) => {
      group.toggleAttribute("data-closed", !chosen.includes(group.dataset.environment));
    });
  }

  // Own prompts of environments that are not chosen cannot be played. A chosen one stays in sight, with its error.
  function prompts() {
    const chosen = [...document.querySelectorAll('input[name="environments"]:checked')].map((box) => box.value);
    document.querySelectorAll("[data-environments]").forEach((chip) => {
      const plays = chip.dataset.environments.split(" ").some((name) => chosen.includes(name));
      chip.hidden = !plays && !chip.querySelector("input").checked;
    });
  }

  // Two agents in benchmarks can be compared in stages. Filled fields stay in sight, with their errors.
  function comparison() {
    const part = document.getElementById("comparison");
    const litmus = part.dataset.litmus.split(" ");
    const chosen = [...document.querySelectorAll('input[name="environments"]:checked')].map((box) => box.value);
    const filled = [...part.querySelectorAll("input")].some((field) => field.value.trim());
    const two = document.querySelectorAll(".agent input:checked").length === 2;
    const open = filled || (two && chosen.length > 0 && !chosen.some((name) => litmus.includes(name)));
    part.toggleAttribute("data-closed", !open);
  }

  function refresh() {
    if (!document.getElementById("launch")) return;
    count();
    custom();
    prompts();
    comparison();
  }

  document.addEventListener("click", (event) => {
    const tick = event.target.closest("[data-tick]");
    if (!tick) return;
    const boxes = [...tick.closest(".agent-group").querySelectorAll(".agent input")].filter((box) => box.offsetParent);
    boxes.forEach((box) => { box.checked = tick.dataset.tick === "all"; });
    boxes[0]?.dispatchEvent(new Event("change", { bubbles: true }));
  });

  // Finding an agent changes nothing that the preview would have to know.
  document.addEventListener("input", (event) => {
    if (event.target.id !== "agent-search") return;
    event.stopPropagation();
    find(event.target.value);
  }, true);
  document.addEventListener("change", (event) => {
    if (event.target.id === "agent-search") event.stopPropagation();
    // A preset stays pressed only until something it sets is changed.
    if (/^(environments|difficulties|seeds|variants|periods)$/.test(event.target.name)) {
      document.querySelectorAll("button.chip").forEach((chip) => chip.setAttribute("aria-pressed", "false"));
    }
    refresh();
  }, true);
  document.addEventListener("keydown", (event) => {
    if (event.target.id === "agent-search" && event.key === "Enter") event.preventDefault();
  });
  document.addEventListener("htmx:afterSwap", refresh);
  refresh();
})();
