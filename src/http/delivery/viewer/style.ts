/** The look of the pages that show files. Colours are pairs that can be read: at least 4.5 to 1 in both themes. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #fff; --raised: #f3f4f7; --ink: #1b1f27; --soft: #555c69; --line: #d5d9e0; --link: #0a58a8; --focus: #b4530a;
  --button: #0a58a8; --button-ink: #fff; --danger: #b3261e; --danger-ink: #fff; --note: #fdf1dc; --note-ink: #5c3a00;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16191f; --raised: #0d0f13; --ink: #e5e8ed; --soft: #a4acb9; --line: #343a45; --link: #7fb8f5; --focus: #ffb168;
    --button: #7fb8f5; --button-ink: #10151c; --danger: #ffaaa3; --danger-ink: #35100d; --note: #3a2a10; --note-ink: #f7d49b;
  }
}
*, ::before, ::after { box-sizing: border-box }
html { text-size-adjust: 100%; -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, sans-serif; overflow-wrap: anywhere }
a { color: var(--link); text-underline-offset: .15em }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 4px }
h1, h2, p, dl, dd, ul, fieldset { margin: 0 }
.skip { position: absolute; left: 1rem; top: -10rem; padding: .5rem 1rem; background: var(--paper); z-index: 1 }
.skip:focus { top: .25rem }
main:focus { outline: none }
.top { padding: .75rem 1.25rem; border-block-end: 1px solid var(--line) }
.top a { color: inherit; font-weight: 600; text-decoration: none }
.top a:hover { text-decoration: underline }

.stage { background: var(--raised); border-block-end: 1px solid var(--line); display: grid; grid-template-columns: minmax(0, 1fr); place-items: center; min-height: 14rem }
.picture { display: block; max-width: 100% }
.picture:focus-visible { outline-offset: -3px }
.stage img, .stage video { display: block; max-width: 100%; height: auto; max-height: 80vh; max-height: 80svh; width: auto; margin-inline: auto; object-fit: contain }
.stage img.tall { max-height: none }
.stage video { min-width: min(100%, 20rem); background: #000 }
.sheer { background: repeating-conic-gradient(#8f949c 0 25%, #a3a8b0 0 50%) 0 0 / 20px 20px }
.cover { width: 100%; text-align: center }
.cover > summary { display: grid; justify-items: center; align-content: center; gap: 1rem; min-height: 14rem; padding: 1.5rem; width: 100%; color: inherit; list-style: none }
.cover summary::-webkit-details-marker { display: none }
.cover summary:focus-visible { outline-offset: -4px }
.again { color: var(--link) }
.cover:not([open]) .again, .cover[open] > summary :is(strong, .button) { display: none }
.cover[open] > summary { min-height: 0; padding: .5rem }

.about { display: grid; gap: 2rem; max-width: 72rem; margin-inline: auto; padding: 1.5rem 1.25rem 4rem }
.about > * { min-width: 0 }
h1 { font-size: 1.5rem; line-height: 1.25; text-wrap: balance }
h2 { font-size: 1.0625rem; line-height: 1.35 }
.words > * + * { margin-block-start: 1rem }
.description { white-space: pre-line; max-width: 44rem }
.note { background: var(--note); color: var(--note-ink); border-radius: 8px; padding: .625rem .875rem; width: fit-content; max-width: 100% }
.actions { display: flex; flex-wrap: wrap; gap: .625rem }
.button { display: inline-block; font: inherit; font-weight: 600; padding: .5rem 1rem; border: 1px solid var(--button); border-radius: 8px; background: var(--button); color: var(--button-ink); text-decoration: none; cursor: pointer }
.button.second { background: transparent; color: var(--link); border-color: var(--line) }
.button.danger { background: var(--danger); border-color: var(--danger); color: var(--danger-ink) }
.button:hover { text-decoration: underline }
.tags { display: flex; flex-wrap: wrap; gap: .375rem; list-style: none; padding: 0 }
.tags li { background: var(--raised); border: 1px solid var(--line); border-radius: 99px; padding: .0625rem .75rem; font-size: .9375rem; max-width: 100% }

.facts { display: grid; gap: .5rem }
.facts > div { display: grid; grid-template-columns: 7rem minmax(0, 1fr); gap: .75rem }
dt, small { color: var(--soft) }
small { font-size: .875rem }
.name { font: .875rem/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace }
.side > * + * { margin-block-start: 1.75rem }
.side section h2 { margin-block-end: .625rem }

details > summary { cursor: pointer; color: var(--link); padding-block: .25rem; width: fit-content; max-width: 100% }
summary h2 { display: inline }
.side details { margin-block-start: .75rem }
table { border-collapse: collapse; width: 100%; font-size: .875rem; margin-block-start: .5rem }
th, td { text-align: start; vertical-align: top; padding: .3rem .75rem .3rem 0; border-block-end: 1px solid var(--line); font-weight: normal }
th { color: var(--soft); width: 45% }
.share { border: 1px solid var(--line); border-radius: 10px; padding: .5rem 1rem }
fieldset { border: 0; padding: 0; min-width: 0 }
fieldset + fieldset { margin-block-start: 1.25rem }
.share[open] summary { margin-block-end: .75rem }
legend { padding: 0; font-weight: 600; margin-block-end: .25rem }
.code { display: grid; grid-template-columns: 6rem minmax(0, 1fr) auto; gap: .25rem .5rem; align-items: center; margin-block-end: .375rem }
.code input { font: .875rem/1.4 ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; width: 100%; padding: .4rem .5rem; color: inherit; background: var(--raised); border: 1px solid var(--line); border-radius: 6px; text-overflow: ellipsis }
.code button { font: inherit; font-size: .875rem; min-width: 4.5rem; padding: .3rem .5rem; color: var(--link); background: transparent; border: 1px solid var(--line); border-radius: 6px; cursor: pointer }
.told { color: var(--soft); min-height: 1.5em; font-size: .9375rem }

.question { display: grid; gap: 1rem; max-width: 34rem; margin-inline: auto; padding: 2.5rem 1.25rem }
.question img { display: block; width: 10rem; height: 10rem; object-fit: cover; border-radius: 10px; border: 1px solid var(--line) }
.ask { display: grid; gap: .375rem }
.ask label { font-weight: 600 }
.ask input { font: inherit; width: 100%; max-width: 24rem; padding: .5rem .75rem; color: inherit; background: var(--raised); border: 1px solid var(--soft); border-radius: 8px }
.ask .fault { color: var(--danger); font-weight: 600 }
.ask .button { justify-self: start; margin-block-start: .5rem }

@media (max-width: 34rem) {
  .code { grid-template-columns: minmax(0, 1fr) auto }
  .code label { grid-column: 1 / -1; font-size: .875rem; color: var(--soft) }
}
@media (min-width: 56rem) {
  .about { grid-template-columns: minmax(0, 1fr) 20rem; gap: 3rem }
  .stage { min-height: 20rem }
  .cover:not([open]) > summary { min-height: 20rem }
}
@media print { .top, .skip, .actions, .share { display: none } }
`
