"use strict";
(() => {
  const data = JSON.parse(document.getElementById("decisions").textContent);
  const root = document.getElementById("explorer");
  const range = root.querySelector("input[type=range]");
  const number = root.querySelector("input[type=number]");
  const AT = 0, TTFT = 1, LATENCY = 2, REPLICA = 3, PROMPT = 4, CACHED = 5, SHAPE = 6, VALUES = 7;
  const count = new Intl.NumberFormat("en");
  const time = ms => ms >= 10000 ? (ms / 1000).toFixed(1) + " s" : ms >= 1000 ? (ms / 1000).toFixed(2) + " s" : ms.toFixed(1) + " ms";
  const served = row => row[PROMPT] > 0, impatient = row => row[PROMPT] < 0;

  const element = (name, text, parent) => {
    const e = document.createElement(name);
    if (text !== undefined) e.textContent = text;
    if (parent) parent.append(e);
    return e;
  };

  const card = (policy, row) => {
    const c = element("div");
    c.className = "card";
    element("h3", policy, c);
    if (!served(row)) {
      element("p", impatient(row) ? "Its client did not wait for the answer." : "Rejected: longer than a replica's memory.", c);
      return c;
    }
    const names = data.shapes[row[SHAPE]], field = {};
    names.forEach((name, i) => field[name] = row[VALUES + i]);
    const meaning = name => data.meanings[name] || data.meanings[name + "=" + field[name] + (name === "reason" && field.why ? ";why" : "")];
    const share = 100 * row[CACHED] / row[PROMPT];
    element("p", `To replica ${row[REPLICA]}: ${meaning("reason") || "the proxy's own choice"}. ` +
      `${count.format(row[CACHED])} of ${count.format(row[PROMPT])} prompt tokens (${share.toFixed(0)} %) came from its cache; ` +
      `first token after ${time(row[TTFT])}, all after ${time(row[LATENCY])}.`, c);
    const hit = element("div", undefined, c);
    hit.className = "hit";
    element("i", undefined, hit).style.width = share + "%";
    const list = element("dl", undefined, c);
    for (const name of names) {
      const term = element("dt", name, list);
      term.title = meaning(name) || "";
      const value = element("dd", field[name], list);
      value.title = term.title;
    }
    return c;
  };

  const show = place => {
    place = Math.min(Math.max(place, 0), data.requests.length - 1);
    range.value = place;
    number.value = data.requests[place];
    const rows = data.rows.map(r => r[place]);
    const first = rows.find(served);
    root.querySelector(".about").textContent = first
      ? `Request ${data.requests[place]} of ${count.format(data.total)} came ${time(first[AT])} after the start with ${count.format(first[PROMPT])} prompt tokens.`
      : rows.some(impatient) ? `The client of request ${data.requests[place]} did not wait for the answer: it counts in no time.`
      : `Request ${data.requests[place]} was rejected everywhere.`;
    root.querySelector(".cards").replaceChildren(...rows.map((row, p) => card(data.policies[p], row)));
  };

  const most = measure => {
    let best = 0, value = -1;
    data.requests.forEach((_, place) => {
      const v = measure(data.rows.map(r => r[place]).filter(served).map(r => r[TTFT]));
      if (v > value) [best, value] = [place, v];
    });
    return best;
  };

  const nearest = request => {
    let low = 0, high = data.requests.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (data.requests[middle] < request) low = middle + 1; else high = middle;
    }
    return low;
  };

  range.max = data.requests.length - 1;
  number.max = data.total - 1;
  range.addEventListener("input", () => show(+range.value));
  number.addEventListener("change", () => show(nearest(+number.value)));
  for (const button of root.querySelectorAll("button")) {
    const go = button.dataset.go;
    button.addEventListener("click", () => show(
      go === "first" ? 0 :
      go === "slow" ? most(t => Math.max(0, ...t)) :
      go === "differ" ? most(t => t.length > 1 ? Math.max(...t) - Math.min(...t) : 0) :
      +range.value + +go));
  }
  show(0);
})();
