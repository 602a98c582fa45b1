// Writes the faults of `pages`, pairs of a name and a document, into this document. Each page is laid out in a frame, because
// a window of the browser cannot be as narrow as a telephone.
const WIDTHS = [400, 1200];
const found = [];

// Relative luminance and contrast: https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio
function luminance([r, g, b]) {
  const linear = (c) => (c / 255 <= 0.04045 ? c / 255 / 12.92 : ((c / 255 + 0.055) / 1.055) ** 2.4);
  return 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

function channels(colour) {
  return colour.match(/[\d.]+/g).map(Number);
}

// The shape of a drawing that a text is in.
function shapeOf(element) {
  return element.parentNode.tagName === "g" ? element.parentNode.querySelector("rect, polygon") : null;
}

// The nearest background that is not transparent.
function background(element, view) {
  const shape = shapeOf(element);
  if (shape) return channels(view.getComputedStyle(shape).fill);
  for (let at = element; at; at = at.parentElement) {
    const colour = channels(view.getComputedStyle(at).backgroundColor);
    if (colour[3] !== 0) return colour;
  }
  return [255, 255, 255];
}

function nameOf(part) {
  return (part.tagName === "text" ? part : part.parentNode.querySelector("text")).textContent;
}

function overlap(a, b) {
  return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

function inspect(frame, say) {
  const view = frame.contentWindow;
  const page = frame.contentDocument;
  if (view.matchMedia("(prefers-color-scheme: dark)").matches !== (scheme === "dark")) say("is not " + scheme);
  if (view.innerWidth !== Number(frame.width)) say(`is ${view.innerWidth} px wide`);
  page.querySelectorAll("details").forEach((details) => (details.open = true));
  const width = page.documentElement.scrollWidth;
  if (width > view.innerWidth) say(`its content is ${width} px wide`);

  if (!page.body.innerText.trim()) say("is empty");
  const texts = page.createTreeWalker(page.body, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    const element = texts.currentNode.parentElement;
    const text = texts.currentNode.data.trim();
    if (!text || ["STYLE", "style", "title"].includes(element.tagName)) continue;
    const style = view.getComputedStyle(element);
    const ratio = contrast(channels(element.ownerSVGElement ? style.fill : style.color), background(element, view));
    if (ratio < 4.5) say(`"${text}" has a contrast of ${ratio.toFixed(1)}`);
  }

  for (const svg of page.querySelectorAll("svg")) {
    const labels = [...svg.querySelectorAll("text")];
    const shapes = [...svg.querySelectorAll("g > rect, g > polygon")];
    for (const parts of [labels, shapes]) {
      parts.forEach((one, at) => {
        for (const other of parts.slice(at + 1)) {
          if (overlap(one.getBBox(), other.getBBox())) say(`"${nameOf(other)}" covers "${nameOf(one)}"`);
        }
      });
    }
    for (const label of labels) {
      const inner = label.getBBox();
      const outer = shapeOf(label)?.getBBox();
      if (outer && (inner.x < outer.x || inner.x + inner.width > outer.x + outer.width)) say(`"${label.textContent}" leaves its box`);
    }
  }
}

const frames = pages.flatMap(([name, html]) => WIDTHS.map((width) => {
  const frame = document.createElement("iframe");
  Object.assign(frame, { width, height: 1000, srcdoc: html, title: `${name} at ${width} px` });
  document.body.append(frame);
  return frame;
}));

addEventListener("load", () => {
  frames.forEach((frame) => inspect(frame, (fault) => found.push(`${frame.title}: ${fault}`)));
  const list = document.createElement("pre");
  list.textContent = found.join("\n");
  document.body.replaceChildren(list);
});
