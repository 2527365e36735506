// Narrows the list of the search page to what the index finds. It never reorders it, and writes no text of a stranger.
"use strict";
(() => {
  const form = document.getElementById("search");
  const said = document.getElementById("found");
  const rows = [...document.querySelectorAll("[data-id]")];
  const whole = "Every model and every endpoint, alphabetically.";
  let index = null;
  let asked = 0;

  // The index has names in such parts; see generator/site/search.py.
  const betweenWords = /[^\p{L}\p{N}.]+/gu;

  const counted = (found, noun) =>
    found === 0 ? `no ${noun}` : `${found.toLocaleString("en")} ${noun}${found === 1 ? "" : "s"}`;

  const opened = () => {
    index ??= import("./pagefind/pagefind.js").then((pagefind) => pagefind.createInstance({ noWorker: true }));
    return index;
  };

  const show = (ids) => {
    for (const row of rows) row.hidden = ids !== null && !ids.has(row.dataset.id);
    for (const section of document.querySelectorAll("main section")) {
      section.hidden = ids !== null && section.querySelector("[data-id]:not([hidden])") === null;
    }
    if (ids === null) {
      said.textContent = whole;
      return;
    }
    const left = rows.filter((row) => !row.hidden);
    const models = left.filter((row) => row.localName === "li").length;
    const order = left.length > 1 ? ", alphabetically" : "";
    said.textContent = `Found: ${counted(models, "model")}, ${counted(left.length - models, "endpoint")}${order}.`;
  };

  const search = async () => {
    asked += 1;
    const turn = asked;
    const words = form.elements.q.value.replace(betweenWords, " ").trim();
    try {
      const found = words === "" ? null : await (await opened()).search(words);
      if (turn === asked) show(found === null ? null : new Set(found.results.map((result) => result.id)));
    } catch {
      index = null;
      show(null);
      said.textContent = `The index could not be read. ${whole}`;
    }
  };

  // From disk a browser reads neither modules nor the index.
  if (!location.protocol.startsWith("http")) return;
  form.elements.q.value = new URLSearchParams(location.search).get("q") ?? "";
  form.addEventListener("input", search);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const words = form.elements.q.value.trim();
    history.replaceState(null, "", words === "" ? location.pathname : `?${new URLSearchParams({ q: words })}`);
    search();
  });
  form.hidden = false;
  search();
})();
