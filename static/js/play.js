// The page of a period: fills in the last action, sums a plan, keeps an assignment one to one, takes A and B as keys.
(() => {
  "use strict";

  const form = document.getElementById("turn");
  const table = form?.querySelector("table.fields");
  if (!table) return;
  const kind = table.dataset.kind;
  const total = form.querySelector(".total");
  const send = form.querySelector(".send-bar button");
  const fields = [...table.querySelectorAll("tbody input, tbody select, tbody textarea")];

  function changed(field) {
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  function say(text, bad = false) {
    if (total.textContent !== text) total.textContent = text;
    total.classList.toggle("bad", bad);
  }

  // A plan: what each row and the whole costs, in cents so that sums are exact

  const cents = (text) => Math.round(Number(text) * 100);
  const money = (amount) => (amount / 100).toLocaleString("en", { style: "currency", currency: "USD" });

  function rowCost(row) {
    const { price, upfront, minimum } = row.dataset;
    const quantity = Number(row.querySelector("input").value || 0);
    if (!Number.isFinite(quantity) || quantity <= 0 || quantity < Number(minimum || 0)) return 0;
    return cents(upfront || 0) + quantity * cents(price);
  }

  function sumPlan() {
    let sum = 0;
    for (const row of table.tBodies[0].rows) {
      const cost = rowCost(row);
      sum += cost;
      row.querySelector("[data-cost]").textContent = cost ? money(cost) : "";
      const typed = Number(row.querySelector("input").value || 0);
      row.classList.toggle("below", typed > 0 && typed < Number(row.dataset.minimum || 0));
    }
    const budget = cents(total.dataset.budget);
    const left = budget - sum;
    const below = table.querySelector("tr.below th");
    const words = left < 0 ? `${money(-left)} over the budget` : `${money(left)} left`;
    const short = below ? `, ${below.textContent.trim()} is below its minimum` : "";
    say(`Cost ${money(sum)} of ${money(budget)}, ${words}${short}`, left < 0 || Boolean(below));
  }

  // An assignment: a row that gets the choice of another row gives its own in exchange. Typing T12 passes through T1, so
  // every change is made from what stood there when the row got the focus.

  let before = new Map();

  function remember() {
    before = new Map(fields.map((field) => [field, field.value]));
  }

  function keepOneToOne(select) {
    for (const [field, value] of before) if (field !== select) field.value = value;
    const old = before.get(select);
    const other = fields.find((field) => field !== select && field.value && field.value === select.value);
    if (other && old) other.value = old;
    showUnused(other && old ? `${nameOf(other)} now has ${old}. ` : "");
  }

  function nameOf(field) {
    return field.labels[0].textContent.trim();
  }

  function unused() {
    const used = fields.map((field) => field.value);
    return [...fields[0].options].map((option) => option.value).filter((value) => value && !used.includes(value));
  }

  function showUnused(told = "") {
    const used = fields.map((field) => field.value).filter(Boolean);
    const free = unused();
    const twice = used.filter((value, place) => used.indexOf(value) !== place);
    for (const field of fields) field.classList.toggle("twice", twice.includes(field.value));
    const shown = free.length > 12 ? `${free.slice(0, 12).join(", ")}, …` : free.join(", ");
    say(told + (free.length ? `Not used yet: ${shown}` : "Each is used once"), false);
  }

  function fillRest() {
    const free = unused();
    for (const field of fields) field.value ||= free.shift();
    changed(fields[0]);
    showUnused();
    send.focus();
  }

  // Answers: the keys a and b choose, and the next question gets the focus

  function answer(event) {
    const letter = event.key.toUpperCase();
    if (event.target.type !== "radio" || event.ctrlKey || event.metaKey || event.altKey || !"AB".includes(letter)) return;
    const group = fields.filter((field) => field.name === event.target.name);
    const chosen = group.find((field) => field.value === letter);
    chosen.checked = true;
    changed(chosen);
    const next = fields.find((field) => fields.indexOf(field) > fields.indexOf(group.at(-1)));
    (next || send).focus();
    event.preventDefault();
  }

  function countAnswers() {
    const names = new Set(fields.map((field) => field.name));
    const done = fields.filter((field) => field.checked).length;
    say(`${done} of ${names.size} answered`);
  }

  // The last action

  function fillLast() {
    for (const field of fields) {
      if (field.type === "radio") continue;
      field.value = field.dataset.last;
    }
    changed(fields[0]);
    // Enter sends from a number; from a choice it opens the list.
    (kind === "match" ? send : fields[0]).focus();
  }

  for (const [name, fill] of [["last", fillLast], ["rest", fillRest]]) {
    const button = form.querySelector(`[data-fill-${name}]`);
    if (!button) continue;
    button.hidden = false;
    button.addEventListener("click", () => {
      fill();
      remember();
    });
  }

  function show() {
    if (kind === "plan") sumPlan();
    if (kind === "match") showUnused();
    if (kind === "answers") countAnswers();
  }

  remember();
  table.addEventListener("focusin", remember);
  table.addEventListener("change", (event) => {
    if (kind === "match") keepOneToOne(event.target);
    else show();
  });
  table.addEventListener("input", () => kind !== "match" && show());
  table.addEventListener("keydown", (event) => kind === "answers" && event.key.length === 1 && answer(event));
  form.addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
  });
  // A second press would only get the same answer again.
  form.addEventListener("submit", () => {
    setTimeout(() => { send.disabled = true; });
    setTimeout(() => { send.disabled = false; }, 4000);
  });
  show();

  // When the time is over the page asks the site, whose clock decides. The clock here may be fast.
  const clock = form.querySelector("[data-due]");

  function ask() {
    htmx.trigger(clock, "due");
    setTimeout(ask, 60_000);
  }

  if (clock) setTimeout(ask, Math.max(new Date(clock.dataset.due) - Date.now(), 0) + 1000);

  // The page begins where the next action is, below what happened last. A phone would open its keyboard for a focus.
  const wrong = table.querySelector(".error:not(:empty)")?.closest("tr")?.querySelector("input, select, textarea");
  const refused = document.querySelector(".form-error");
  const last = document.getElementById("last");
  if (last) fields[0].setAttribute("aria-describedby", `last ${fields[0].getAttribute("aria-describedby") || ""}`.trim());
  const isNarrow = matchMedia("(max-width: 980px)").matches;
  if (last && isNarrow && !document.querySelector(".messages")) document.getElementById("action").scrollIntoView();
  if (wrong || refused) (wrong || refused).focus();
  else if (matchMedia("(pointer: fine)").matches) fields[0].focus({ preventScroll: true });
})();
