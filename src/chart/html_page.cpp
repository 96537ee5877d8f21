#include "chart/html_page.hpp"

#include "chart/svg_style.hpp"

namespace roofline::chart {
namespace {

constexpr std::string_view kPageForms = R"(
body{font:14px/1.45 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans","DejaVu Sans",sans-serif;
 margin:0 auto;max-width:1400px;padding:12px 16px 40px}
svg.rf{display:block;max-width:100%;height:auto;margin:0 auto}
svg.rf [data-id]{cursor:pointer}
svg.rf .on{stroke-width:3.5}
.bar{display:flex;gap:16px;align-items:center;flex-wrap:wrap;margin:16px 0 8px}
.bar input[type=search]{font:inherit;padding:3px 8px;min-width:16em;border-radius:4px}
.wrap{overflow-x:auto;max-height:75vh;overflow-y:auto;border-radius:4px}
table{border-collapse:collapse;font-size:12px;white-space:nowrap;width:100%}
th,td{padding:3px 9px;text-align:left}
th{position:sticky;top:0;cursor:pointer;user-select:none;vertical-align:bottom}
th button{all:unset;cursor:pointer}
th button:focus-visible{outline:2px solid}
th small{display:block;font-weight:400}
th[aria-sort=ascending] button::after{content:" \2191"}
th[aria-sort=descending] button::after{content:" \2193"}
td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}
table:not(.all) .x{display:none}
tr.hit td{font-weight:600}
#tip{position:fixed;display:none;pointer-events:none;white-space:pre;font-size:12px;padding:6px 9px;
 border-radius:4px;z-index:2;max-width:90vw;overflow:hidden}
)";

constexpr std::string_view kPageLight = R"(
body{background:#fff;color:#1c1f23;color-scheme:light}
.wrap,.bar input[type=search]{border:1px solid #d5d9de;background:#fff;color:#1c1f23}
th{background:#f1f3f5}th small{color:#59606a}tbody tr:nth-child(even){background:#f8f9fa}
tr.hit td{background:#fff3cd}#tip{background:#1c1f23;color:#fff}
)";

constexpr std::string_view kPageDark = R"(
body{background:#14171b;color:#e8eaed;color-scheme:dark}
.wrap,.bar input[type=search]{border:1px solid #343a42;background:#14171b;color:#e8eaed}
th{background:#23272d}th small{color:#a7aeb7}tbody tr:nth-child(even){background:#191d22}
tr.hit td{background:#4a3f10}#tip{background:#e8eaed;color:#14171b}
)";

constexpr std::string_view kScript = R"(
"use strict";
(() => {
  const table = document.querySelector("table");
  if (!table) return;
  const body = table.tBodies[0];
  const rows = [...body.rows];
  const heads = [...table.tHead.rows[0].cells];
  const value = (row, i) => {
    const cell = row.cells[i];
    const text = cell.dataset.v ?? cell.textContent;
    if (text === "") return null;
    return heads[i].classList.contains("n") ? Number(text) : text;
  };
  heads.forEach((head, i) => head.addEventListener("click", () => {
    const down = head.getAttribute("aria-sort") === "ascending";
    heads.forEach((other) => other.removeAttribute("aria-sort"));
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const sign = down ? -1 : 1;
    // What is unknown comes last, either way.
    const sorted = rows.map((row) => [value(row, i), row]).sort(([a], [b]) =>
      a === null || b === null ? (a === null) - (b === null) : a < b ? -sign : a > b ? sign : 0);
    body.append(...sorted.map(([, row]) => row));
  }));
  document.querySelector("#all").addEventListener("change", (event) =>
    table.classList.toggle("all", event.target.checked));
  document.querySelector("#find").addEventListener("input", (event) => {
    const words = event.target.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every((word) => text.includes(word));
    }
  });
  const byId = new Map();
  for (const row of rows) {
    const id = row.dataset.id;
    if (!byId.has(id)) byId.set(id, []);
    byId.get(id).push(row);
  }
  const tip = document.querySelector("#tip");
  for (const mark of document.querySelectorAll("svg.rf .k > title, svg.rf .l > title, " +
                                               "svg.rf .band > title, svg.rf g > title")) {
    const shape = mark.parentNode;
    const text = mark.textContent;
    mark.remove();
    shape.setAttribute("aria-label", text);
    shape.addEventListener("pointermove", (event) => {
      tip.textContent = text;
      tip.style.display = "block";
      const left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8);
      const below = event.clientY + 14 + tip.offsetHeight < innerHeight;
      tip.style.left = Math.max(4, left) + "px";
      tip.style.top = (below ? event.clientY + 14 : event.clientY - tip.offsetHeight - 10) + "px";
    });
    shape.addEventListener("pointerleave", () => { tip.style.display = "none"; });
  }
  const marks = document.querySelectorAll("svg.rf [data-id]");
  for (const mark of marks) {
    mark.addEventListener("click", () => {
      for (const row of rows) row.classList.remove("hit");
      const found = byId.get(mark.dataset.id) ?? [];
      for (const row of found) row.classList.add("hit");
      if (found.length > 0) found[0].scrollIntoView({block: "center", behavior: "smooth"});
    });
  }
  for (const row of rows) {
    const own = [...marks].filter((mark) => mark.dataset.id === row.dataset.id);
    row.addEventListener("pointerenter", () => own.forEach((mark) => mark.classList.add("on")));
    row.addEventListener("pointerleave", () => own.forEach((mark) => mark.classList.remove("on")));
  }
})();
)";

}  // namespace

std::string page_style(Theme theme) {
  std::string out = style_sheet(theme);
  out += kPageForms;
  out += theme == Theme::dark ? kPageDark : kPageLight;
  if (theme == Theme::automatic) {
    out += "@media (prefers-color-scheme:dark){";
    out += kPageDark;
    out += "}\n";
  }
  return out;
}

std::string_view page_script() { return kScript; }

}  // namespace roofline::chart
