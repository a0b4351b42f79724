// Comments: names of members while somebody types an @, sentences beside the field, and lists that wait for a writer.
(() => {
  "use strict";

  const MOST = 8;
  const AT = /(?:^|[^\p{L}\p{N}_@.+\-/])@([\p{L}\p{N}_.@+\-]*)$/u;
  let people = null; // a promise of all members
  let open = null; // { field, list, from, chosen }

  function load(url) {
    people ??= fetch(url, { credentials: "same-origin", headers: { Accept: "application/json" } })
      .then((response) => {
        window.logInFirst(response);
        return response.ok ? response.json() : { people: [] };
      })
      .then((answer) => answer.people)
      .catch(() => []);
    return people;
  }

  function close() {
    if (!open) return;
    open.list.remove();
    open.field.removeAttribute("aria-controls");
    open.field.removeAttribute("aria-activedescendant");
    open = null;
  }

  function fits(person, typed) {
    const words = [person.username, ...person.name.split(/\s+/)];
    return words.some((word) => word.toLowerCase().startsWith(typed));
  }

  async function suggest(field) {
    const before = field.value.slice(0, field.selectionStart);
    const typed = AT.exec(before)?.[1];
    if (typed === undefined) {
      close();
      return;
    }
    const all = await load(field.dataset.mentions);
    // More may have been typed meanwhile, and then a later call shows what fits.
    if (document.activeElement !== field || field.value.slice(0, field.selectionStart) !== before) return;
    const found = all.filter((person) => fits(person, typed.toLowerCase())).slice(0, MOST);
    close();
    if (found.length) show(field, found, before.length - typed.length);
  }

  function show(field, found, from) {
    const list = document.createElement("ul");
    list.className = "suggested";
    list.id = `${field.id}-people`;
    list.setAttribute("role", "listbox");
    list.setAttribute("aria-label", "Members");
    list.append(...found.map((person, place) => option(list, person, place)));
    field.parentElement.append(list);
    field.setAttribute("aria-controls", list.id);
    open = { field, list, from, chosen: 0 };
    choose(0);
    list.scrollIntoView({ block: "nearest" });
  }

  function option(list, person, place) {
    const item = document.createElement("li");
    item.id = `${list.id}-${place}`;
    item.setAttribute("role", "option");
    item.dataset.name = person.username;
    const name = document.createElement("span");
    name.textContent = person.name;
    item.append(`@${person.username}`, name);
    return item;
  }

  function choose(place) {
    const items = [...open.list.children];
    open.chosen = (place + items.length) % items.length;
    items.forEach((item, index) => item.setAttribute("aria-selected", String(index === open.chosen)));
    items[open.chosen].scrollIntoView({ block: "nearest" });
    open.field.setAttribute("aria-activedescendant", items[open.chosen].id);
  }

  function take(item) {
    const { field, from } = open;
    field.setRangeText(`${item.dataset.name} `, from, field.selectionStart, "end");
    close();
    field.focus();
  }

  document.addEventListener("input", (event) => {
    if (event.target.matches("textarea[data-mentions]")) suggest(event.target);
  });
  document.addEventListener("keydown", (event) => {
    const field = event.target;
    if (field.matches?.("textarea[data-mentions]") && event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      field.form.requestSubmit();
      return;
    }
    if (!open || field !== open.field || event.isComposing) return;
    const acts = {
      ArrowDown: () => choose(open.chosen + 1),
      ArrowUp: () => choose(open.chosen - 1),
      Enter: () => take(open.list.children[open.chosen]),
      Tab: () => take(open.list.children[open.chosen]),
      Escape: close,
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    acts[event.key]();
  }, true);
  document.addEventListener("mousedown", (event) => {
    if (!open) return;
    const item = event.target.closest(".suggested li");
    if (!item) return;
    event.preventDefault();
    take(item);
  });
  document.addEventListener("focusout", close);

  // A sentence about what was typed comes back with status 422 and is shown like any answer.
  document.addEventListener("htmx:beforeSwap", (event) => {
    if (event.detail.xhr.status !== 422 || !event.detail.target.closest(".comments, .comment, .tags")) return;
    event.detail.shouldSwap = true;
    event.detail.isError = false;
  });

  // Comments of others come in by themselves, but not into a list in which somebody is writing or asked to confirm.
  document.addEventListener("htmx:beforeRequest", (event) => {
    const list = event.detail.elt;
    if (list.matches(".comment-list") && list.querySelector("textarea, :popover-open")) event.preventDefault();
  });

  // A form for a tag that opens is there to be typed into.
  document.addEventListener("toggle", (event) => {
    if (event.target.matches("details.add-tag") && event.target.open) event.target.querySelector("input[type=text]").focus();
  }, true);
})();
