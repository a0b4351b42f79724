// The import form: an archive that is too large is said to be so before it is sent.
(() => {
  "use strict";

  const input = document.querySelector("input[type=file][data-most-bytes]");
  if (!input) return;
  const error = document.getElementById(`${input.id}_error`);

  function check() {
    const file = input.files[0];
    const most = Number(input.dataset.mostBytes);
    const size = file ? (file.size / 1048576).toFixed(0) : 0;
    const wrong = file && file.size > most ? `${file.name} has ${size} MiB. ${input.dataset.tooLarge}` : "";
    input.setCustomValidity(wrong);
    input.setAttribute("aria-invalid", String(Boolean(wrong)));
    error.textContent = wrong;
    return !wrong;
  }

  input.addEventListener("change", check);
  input.form.addEventListener("submit", (event) => {
    if (check()) return;
    event.preventDefault();
    input.focus();
  });
})();
