"use strict";
// Values under the pointer, and a legend that picks its series out.
document.querySelectorAll("figure").forEach(figure => {
  const source = figure.querySelector("script.marks");
  const picture = figure.querySelector(".picture");
  const data = source && JSON.parse(source.textContent);
  if (!data || !picture) return;
  const NS = "http://www.w3.org/2000/svg";
  // Pictures that stand together share the legend of one of them.
  const of = [figure, ...(figure.parentElement?.querySelectorAll("figure") || [])].find(f => f.querySelector(".key[data-series]"));
  const keys = of ? [...of.querySelectorAll(".key[data-series]")] : [];
  const named = name => keys.find(k => k.dataset.series === name);
  const colour = name => named(name) ? getComputedStyle(named(name).querySelector("i")).borderTopColor : "currentColor";
  const number = v => Math.abs(v) >= 1e6 || (v !== 0 && Math.abs(v) < 1e-3) ? v.toExponential(2) : String(Number(v.toPrecision(4)));

  const over = document.createElementNS(NS, "svg");
  over.setAttribute("class", "over");
  over.setAttribute("viewBox", "0 0 1 1");
  over.setAttribute("preserveAspectRatio", "none");
  const tip = document.createElement("div");
  tip.className = "tip";
  tip.setAttribute("role", "status");
  const dot = document.createElement("div");
  dot.className = "dot";
  tip.hidden = dot.hidden = true;
  picture.append(over, dot, tip);

  let pinned = "";
  const show = name => {
    over.replaceChildren();
    picture.classList.toggle("dim", name !== "");
    keys.forEach(k => k.classList.toggle("off", name !== "" && k.dataset.series !== name));
    const s = data.series.find(s => s.name === name);
    if (!s) return;
    const line = document.createElementNS(NS, "path");
    const path = s.points.map((p, i) => i === 0 ? "M" + p[0] + " " + p[1] : data.steps ? "H" + p[0] + "V" + p[1] : "L" + p[0] + " " + p[1]).join("");
    line.setAttribute("d", s.points.length > 1 ? path : path + "h0");
    line.style.stroke = colour(name);
    over.append(line);
  };

  const at = event => {
    const box = picture.getBoundingClientRect();
    let best = null, least = 36 * 36;
    data.series.forEach(s => {
      if (pinned && s.name !== pinned) return;
      s.points.forEach(p => {
        const dx = p[0] * box.width - (event.clientX - box.left), dy = p[1] * box.height - (event.clientY - box.top);
        if (dx * dx + dy * dy < least) { least = dx * dx + dy * dy; best = [s, p]; }
      });
    });
    tip.hidden = dot.hidden = !best;
    if (!best) { show(pinned); return; }
    const [s, p] = best;
    show(s.name);
    tip.textContent = s.name + "\n" + data.x + ": " + number(p[2]) + "\n" + data.y + ": " + number(p[3]);
    dot.style.background = colour(s.name);
    dot.style.left = 100 * p[0] + "%";
    dot.style.top = 100 * p[1] + "%";
    tip.style.left = p[0] < 0.6 ? "calc(" + 100 * p[0] + "% + .8rem)" : "auto";
    tip.style.right = p[0] < 0.6 ? "auto" : "calc(" + 100 * (1 - p[0]) + "% + .8rem)";
    tip.style.top = Math.min(100 * p[1], 75) + "%";
  };
  picture.addEventListener("pointermove", at);
  picture.addEventListener("pointerdown", at);
  picture.addEventListener("pointerleave", () => { tip.hidden = dot.hidden = true; show(pinned); });

  keys.forEach(k => {
    const name = k.dataset.series;
    k.setAttribute("role", "button");
    k.tabIndex = 0;
    k.setAttribute("aria-pressed", "false");
    const pin = () => {
      pinned = pinned === name ? "" : name;
      keys.forEach(o => o.setAttribute("aria-pressed", String(o.dataset.series === pinned))); // each picture of the legend agrees
      show(pinned);
    };
    k.addEventListener("pointerenter", () => show(name));
    k.addEventListener("pointerleave", () => show(pinned));
    k.addEventListener("click", pin);
    k.addEventListener("keydown", e => { if (e.key === "Enter" || e.key === " ") { e.preventDefault(); pin(); } });
  });
});
