// The page's style sheet. Colours carry no meaning alone: each stands beside a word.
#pragma once

namespace prelaunch::reports {

inline constexpr const char* kPageStyle = R"css(
:root { color-scheme: light dark;
  --paper: #fbfbfa; --card: #fff; --ink: #1d2024; --quiet: #5f6670; --line: #dfe1e4; --hair: #ebecee;
  --clean: #17703f; --findings: #b3261e; --untrusted: #8a5a00; --code: #f3f4f5; }
@media (prefers-color-scheme: dark) { :root {
  --paper: #15171a; --card: #1b1e22; --ink: #e4e6e9; --quiet: #9aa2ad; --line: #363b42; --hair: #282c32;
  --clean: #5cc58c; --findings: #ff8a80; --untrusted: #e6b450; --code: #23272c; } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0 auto; max-width: 76rem; padding: 2rem 1.5rem 4rem; background: var(--paper); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; }
code, pre, .code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: .88em; unicode-bidi: isolate; }
p { margin: 0 0 .5rem; overflow-wrap: anywhere; }
.verdict { border-left: 6px solid var(--tone); padding: .1rem 0 .1rem 1.25rem; }
.verdict.clean { --tone: var(--clean); }
.verdict.findings { --tone: var(--findings); }
.verdict.untrusted { --tone: var(--untrusted); }
.verdict h1 { margin: 0; font-size: 2.4rem; line-height: 1.2; letter-spacing: -.02em; font-weight: 650; color: var(--tone); }
.why { font-size: 1.12rem; max-width: 60rem; }
.quiet, .eyebrow, .note { color: var(--quiet); }
.note { font-weight: 400; }
.eyebrow { font-size: .87rem; margin: 0 0 .25rem; }
.facts { display: flex; flex-wrap: wrap; gap: .9rem 2.75rem; margin: 1.1rem 0 0; }
.facts dt { color: var(--quiet); font-size: .82rem; }
.facts dd { margin: 0; font-size: 1.22rem; font-variant-numeric: tabular-nums; overflow-wrap: anywhere; }
h2 { margin: 2.75rem 0 .75rem; font-size: 1.25rem; font-weight: 650; letter-spacing: -.01em; }
h3 { margin: 1.5rem 0 .5rem; font-size: 1rem; font-weight: 650; overflow-wrap: anywhere; }
.finding { background: var(--card); border: 1px solid var(--line); border-left: 4px solid var(--findings);
  border-radius: 5px; padding: .8rem 1rem .7rem; margin: 0 0 .8rem; }
.finding .quiet { font-size: .87rem; margin: 0; }
.tag { border: 1px solid var(--line); border-radius: 4px; padding: 0 .4em; font-size: .85em; color: var(--quiet); white-space: nowrap; }
.tag.new { color: var(--paper); background: var(--findings); border-color: var(--findings); font-weight: 650; }
.tag.warn { color: var(--untrusted); border-color: currentColor; }
.finding details { margin: .35rem 0 0; font-size: .93em; }
ul { margin: 0 0 1rem; padding-left: 1.2rem; }
li { overflow-wrap: anywhere; }
a { color: inherit; text-decoration-color: var(--quiet); text-underline-offset: .15em; }
.replay { margin: .5rem 0; padding: .6rem .75rem; background: var(--code); border-radius: 4px;
  white-space: pre-wrap; overflow-wrap: anywhere; -webkit-user-select: all; user-select: all; cursor: copy; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 5px; background: var(--card); margin: 0 0 1rem; }
table { border-collapse: collapse; width: 100%; font-size: .93rem; }
th, td { padding: .38rem .8rem; border-bottom: 1px solid var(--hair); vertical-align: baseline; unicode-bidi: isolate; }
tbody tr:last-child td { border-bottom: 0; }
th { font-weight: 550; color: var(--quiet); font-size: .84rem; border-bottom-color: var(--line); white-space: nowrap; }
td.n .note { display: block; font-size: .85em; }
.t { text-align: left; }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.t:first-child { font-weight: 500; }
td.code { overflow-wrap: anywhere; min-width: 11rem; }
td.bad { color: var(--findings); font-weight: 650; }
.bad, .warn { color: var(--findings); }
.warn { color: var(--untrusted); }
.rules { margin: 0; padding: 0; list-style: none; columns: 19rem; column-gap: 2rem; }
.rules li { break-inside: avoid; overflow-wrap: anywhere; }
details { margin: 0 0 1rem; }
summary { cursor: pointer; padding: .25rem 0; }
summary:focus-visible, .scroll:focus-visible, .replay:focus-visible { outline: 2px solid var(--quiet); outline-offset: 2px; }
footer { margin-top: 3rem; font-size: .85rem; color: var(--quiet); }
@media (max-width: 40rem) {
  body { padding: 1.1rem .9rem 3rem; }
  .verdict { padding-left: .9rem; }
  .verdict h1 { font-size: 2rem; }
  .facts { display: grid; grid-template-columns: 1fr 1fr; gap: .7rem 1rem; }
  th, td { padding: .36rem .6rem; }
  .scroll td:first-child, .scroll th:first-child { position: sticky; left: 0; background: var(--card);
    min-width: 9.5rem; max-width: 50vw; overflow-wrap: anywhere; }
}
@media print {
  :root { --paper: #fff; --card: #fff; --ink: #000; --quiet: #444; --line: #999; --hair: #ccc; --code: #f3f3f3;
    --clean: #17703f; --findings: #b3261e; --untrusted: #8a5a00; }
  body { max-width: none; padding: 0; font-size: 9.5pt; }
  .scroll { overflow: visible; border: 0; }
  h2, h3, summary { break-after: avoid; }
  tr, .finding { break-inside: avoid; }
  details::details-content { content-visibility: visible; block-size: auto; }
}
)css";

}  // namespace prelaunch::reports
