// The page of a period: fills in the last action, sums a plan, keeps an assignment one to one, takes A and B as keys.
(() => {
  "use strict";

  const form = document.getElementById("turn");
  const table = form?.querySelector("table.fields");
  if (!table) return;
  const kind = table.dataset.kind;
  const total = form.querySelector(".total");
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
  const money = (amount) => (amount / 100).toLocaleString("en", { minimumFractionDigits: 2, maximumFractionDigits: 2 });

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

  // An assignment: whoever gets a choice that another row has gives its own in exchange

  const before = new Map();

  function keepOneToOne(select) {
    const old = before.get(select);
    const other = fields.find((field) => field !== select && field.value && field.value === select.value);
    if (other && old) {
      other.value = old;
      before.set(other, old);
    }
    before.set(select, select.value);
    showUnused(other && old ? `${nameOf(other)} now has ${old}. ` : "");
  }

  function nameOf(field) {
    return field.labels[0].textContent.trim();
  }

  function showUnused(told = "") {
    const used = fields.map((field) => field.value).filter(Boolean);
    const all = [...fields[0].options].map((option) => option.value).filter(Boolean);
    const free = all.filter((value) => !used.includes(value));
    const twice = used.filter((value, place) => used.indexOf(value) !== place);
    for (const field of fields) field.classList.toggle("twice", twice.includes(field.value));
    const shown = free.length > 12 ? `${free.slice(0, 12).join(", ")}, …` : free.join(", ");
    say(told + (free.length ? `Not used yet: ${shown}` : "Each is used once"), false);
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
    (next || form.querySelector(".send-bar button")).focus();
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
      before.set(field, field.value);
    }
    changed(fields[0]);
    fields[0].focus();
  }

  const fill = form.querySelector("[data-fill-last]");
  if (fill) {
    fill.hidden = false;
    fill.addEventListener("click", fillLast);
  }

  function show() {
    if (kind === "plan") sumPlan();
    if (kind === "match") showUnused();
    if (kind === "answers") countAnswers();
  }

  for (const field of fields) before.set(field, field.value);
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
    const button = form.querySelector(".send-bar button");
    setTimeout(() => { button.disabled = true; });
    setTimeout(() => { button.disabled = false; }, 4000);
  });
  show();
  const wrong = table.querySelector(".error:not(:empty)")?.closest("tr")?.querySelector("input, select");
  if (wrong) wrong.focus();
  else if (matchMedia("(pointer: fine)").matches && !document.querySelector(".form-error")) fields[0].focus({ preventScroll: true });
})();
