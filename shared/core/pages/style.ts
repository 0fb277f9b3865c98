/** The look of every page. There is one copy; the policy of pages names its hash. Colours meet WCAG AA. */
export const style = `
:root {
  color-scheme: light dark;
  --ground: #fff; --panel: #f5f6f8; --line: #d5d9e0; --edge: #8a93a0; --text: #1b1f26; --soft: #566070;
  --accent: #1f5fbf; --on-accent: #fff; --good: #14683a; --bad: #a81f2a; --wash: #e8effa; --alarm: #fbeaeb;
  --key: #5b3a9e; --string: #14683a; --number: #9a4a00; --word: #a0226b;
  --code: ui-monospace, "SF Mono", "Cascadia Code", Menlo, Consolas, "DejaVu Sans Mono", monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171c; --panel: #1c2027; --line: #363c47; --edge: #7d8796; --text: #e5e8ed; --soft: #a5afbd;
    --accent: #8cb8ff; --on-accent: #0d1a2e; --good: #7dd3a0; --bad: #ff9aa0; --wash: #202d42; --alarm: #3a2226;
    --key: #c5adff; --string: #8ed8ae; --number: #f2b27a; --word: #f3a0cc;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 1rem; }
body {
  margin: 0; background: var(--ground); color: var(--text);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
header, main, .notice:not(:empty) { max-width: 84rem; margin: 0 auto; padding: 0 clamp(1rem, 3vw, 2rem); }
a { color: var(--accent); text-underline-offset: .15em; text-decoration-thickness: 1px; }
a:hover { text-decoration-thickness: 2px; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; border-radius: 3px; }
#title:focus-visible { outline: none; }
code, pre, .code, .verb, .status { font-family: var(--code); }
h1 { margin: 0 0 .35rem; font-size: 1.6rem; line-height: 1.2; font-weight: 650; letter-spacing: -.01em; text-wrap: balance; }
h2 { margin: 0; font-size: 1.05rem; line-height: 1.3; font-weight: 650; }
p { margin: 0 0 .75rem; }
.unseen, .notice:empty, .skip:not(:focus) {
  position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap;
}
.skip:focus { position: absolute; z-index: 1; top: .5rem; left: .5rem; padding: .5rem .75rem; background: var(--ground); }

header { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem 1.5rem; padding-block: .75rem; }
#path { flex: 1 1 20rem; }
#path ol { display: flex; flex-wrap: wrap; margin: 0; padding: 0; list-style: none; font-size: .925rem; }
#path li { overflow-wrap: anywhere; }
#path li + li::before { content: "/"; padding: 0 .45rem; color: var(--edge); }
#path a { text-decoration: none; }
#path a:hover { text-decoration: underline; }
#path [aria-current] { color: var(--text); font-weight: 600; }
html:not(.scripted) .scripts { display: none; }
#keys { position: relative; margin-left: auto; }
#keys > summary { padding: .3rem .7rem; border: 1px solid var(--edge); border-radius: 6px; font-size: .925rem; }
#keys form {
  position: absolute; z-index: 1; right: 0; margin-top: .4rem; padding: 1rem; width: min(26rem, 100vw - 2rem);
  background: var(--ground); border: 1px solid var(--edge); border-radius: 8px; box-shadow: 0 .5rem 1.5rem #0003;
}
.secret { -webkit-text-security: disc; }
.notice:not(:empty) { margin-block: 0 .75rem; }
.notice:not(:empty)::before { content: "• "; color: var(--accent); }

main { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.5rem; padding-block: .75rem 3rem; }
main[aria-busy=true] { opacity: .6; }
@media (min-width: 64rem) {
  main:has(.beside) { grid-template-columns: minmax(0, 1fr) minmax(0, 27rem); gap: 2.5rem; }
}
.call { display: flex; flex-wrap: wrap; align-items: baseline; gap: .25rem .6rem; margin-bottom: 1rem; font-size: .925rem; }
.call code { overflow-wrap: anywhere; }
.verb { font-size: .8em; font-weight: 600; letter-spacing: .03em; }
.call .verb { padding: .1rem .45rem; border-radius: 4px; background: var(--wash); color: var(--accent); }
.status { font-weight: 600; white-space: nowrap; }
.status.good { color: var(--good); }
.status.bad { color: var(--bad); }
.advice { padding: .6rem .9rem; border-left: 4px solid var(--accent); background: var(--wash); }
.jumps { display: flex; gap: 1rem; font-size: .925rem; }
@media (min-width: 64rem) { .jumps { display: none; } }
pre {
  margin: 0; padding: 1rem 1.1rem; background: var(--panel); border: 1px solid var(--line); border-radius: 8px;
  font-size: .85rem; line-height: 1.6; white-space: pre-wrap; overflow-wrap: anywhere; tab-size: 2;
}
.k { color: var(--key); }
.s { color: var(--string); }
.n { color: var(--number); }
.w { color: var(--word); }
.pages { display: flex; flex-wrap: wrap; gap: .5rem; margin: 1rem 0; }
.pages:first-of-type { margin-top: 0; }

.button, button {
  display: inline-block; padding: .45rem .85rem; border: 1px solid var(--edge); border-radius: 6px;
  background: var(--ground); color: var(--text); font: inherit; font-size: .925rem; line-height: 1.4;
  text-decoration: none; cursor: pointer;
}
.button:hover, button:hover { border-color: var(--accent); color: var(--accent); }
button.main { background: var(--accent); border-color: var(--accent); color: var(--on-accent); font-weight: 600; }
button.main:hover { color: var(--on-accent); filter: brightness(1.1); }
button:disabled { opacity: .6; cursor: progress; }
.buttons { display: flex; flex-wrap: wrap; gap: .5rem; margin: 0; }

.beside, .forms { display: grid; grid-template-columns: minmax(0, 1fr); gap: 1.25rem; align-content: start; }
.panel { padding: 1rem 1.1rem; border: 1px solid var(--line); border-radius: 8px; }
.panel > h2 { margin-bottom: .75rem; }
.panel > summary h2 { display: inline; }
.panel > summary + form { margin-top: .75rem; }
summary { cursor: pointer; }
.fields { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(11rem, 100%), 1fr)); gap: .85rem 1rem; margin-bottom: 1rem; }
.fields:empty { display: none; }
.field { display: grid; align-content: start; gap: .2rem; }
.field.json, .field.text, .field.word, .field.file { grid-column: 1 / -1; }
.field.boolean { grid-template-columns: auto 1fr; align-items: center; gap: 0 .55rem; }
.field.boolean .hint { display: none; }
.field.boolean .error { grid-column: 1 / -1; }
label { font-size: .925rem; font-weight: 600; overflow-wrap: anywhere; }
.required, label .hint { font-size: .8rem; font-weight: 400; color: var(--soft); }
.hint { margin: 0; font-size: .8rem; line-height: 1.4; color: var(--soft); }
#keys .hint { margin-bottom: .75rem; }
#keys label .hint { margin: 0; }
.error { margin: 0; font-size: .85rem; color: var(--bad); overflow-wrap: anywhere; }
.error:empty { display: none; }
input:not([type=checkbox]), select, textarea {
  width: 100%; padding: .4rem .55rem; border: 1px solid var(--edge); border-radius: 6px;
  background: var(--ground); color: inherit; font: inherit; font-size: 1rem; line-height: 1.4;
}
textarea { resize: vertical; field-sizing: content; max-height: 32rem; }
.code { font-family: var(--code); font-size: .875rem; }
input[type=checkbox] { width: 1.1rem; height: 1.1rem; margin: 0; accent-color: var(--accent); }
[aria-invalid=true] { border-color: var(--bad); box-shadow: inset 0 0 0 1px var(--bad); }
.outcome:not(:empty) { display: grid; gap: .5rem; justify-items: start; margin-bottom: 1rem; padding: .7rem .9rem; border-radius: 6px; background: var(--wash); }
.outcome.bad { background: var(--alarm); color: var(--bad); }
.outcome p { margin: 0; }
.outcome pre { width: 100%; background: var(--ground); }

dl { display: grid; gap: .5rem; margin: 0 0 .75rem; font-size: .925rem; }
dt { font-size: .8rem; color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.about details { margin-top: .5rem; font-size: .925rem; }
.wide { margin-top: .5rem; overflow-x: auto; }
table { width: 100%; border-collapse: collapse; font-size: .85rem; line-height: 1.4; }
th, td { padding: .35rem .75rem .35rem 0; border-top: 1px solid var(--line); text-align: left; vertical-align: top; font-weight: 400; }
thead th { border: 0; color: var(--soft); font-size: .8rem; }
`;
