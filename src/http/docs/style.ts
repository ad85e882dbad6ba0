/** The whole look of the page. Colours are pairs that can be read: at least 4.5 to 1 in both themes. */
export const style = `
:root {
  color-scheme: light dark;
  --paper: #fff; --raised: #f5f6f8; --ink: #1b1f27; --soft: #555c69; --line: #d9dce2; --link: #0a58a8; --focus: #b4530a;
  --get: #0a4f93; --get-paper: #e2eefb; --post: #14602f; --post-paper: #e0f4e6;
  --patch: #7a4300; --patch-paper: #fdeed7; --delete: #9c1c1c; --delete-paper: #fde6e4;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171c; --raised: #1d2128; --ink: #e5e8ed; --soft: #a4acb9; --line: #343a45; --link: #7fb8f5; --focus: #ffb168;
    --get: #9accff; --get-paper: #15304b; --post: #93dfaa; --post-paper: #153a23;
    --patch: #f7c583; --patch-paper: #43300f; --delete: #ffaaa3; --delete-paper: #4a1d1b;
  }
}
*, ::before, ::after { box-sizing: border-box }
html { scroll-padding-top: 1rem; text-size-adjust: 100%; -webkit-text-size-adjust: 100% }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.6 system-ui, sans-serif; overflow-wrap: break-word }
a { color: var(--link); text-underline-offset: .15em }
:focus-visible { outline: 3px solid var(--focus); outline-offset: 2px; border-radius: 2px }
main:focus { outline: none }
.skip { position: absolute; left: 1rem; top: -10rem; padding: .5rem 1rem; background: var(--paper); z-index: 1 }
.skip:focus { top: 1rem }

header, nav, main, footer { padding-inline: 1.25rem }
main { padding-block: 1rem 4rem }
header { border-block-end: 1px solid var(--line); padding-block: 1.5rem 1rem }
header p { margin: 0; color: var(--soft) }
footer { border-block-start: 1px solid var(--line); color: var(--soft); padding-block: 1.5rem }
h1, h2, h3, h4 { line-height: 1.25; text-wrap: balance }
h1 { font-size: 1.75rem; margin: 0 0 .25rem }
h2 { font-size: 1.5rem; margin: 3.5rem 0 .75rem }
h3 { font-size: 1.2rem; margin: 2.25rem 0 .5rem }
h4 { font-size: 1rem; margin: 1.5rem 0 .5rem }
h2 a, h3 a { color: inherit; text-decoration: none }
h2 a:hover, h3 a:hover { text-decoration: underline }
h2 a:hover::after, h3 a:hover::after { content: ' #'; color: var(--soft) }
p { margin: .5rem 0 }
small { color: var(--soft); font-size: .875rem; font-weight: normal }

code { font: .875em/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace }
p code, td code { background: var(--raised); border-radius: 4px; padding: .1em .3em; box-decoration-break: clone; -webkit-box-decoration-break: clone }
pre { margin: .75rem 0; padding: .75rem 1rem; line-height: 1.45; background: var(--raised); border: 1px solid var(--line); border-radius: 6px;
  white-space: pre-wrap; overflow-wrap: anywhere }
.operation { border-block-start: 1px solid var(--line); margin-block-start: 2.5rem }
.operation h3 { margin-block-start: 1.5rem }
.operation:target > h3, h2:target, h3:target { text-decoration: underline; text-decoration-thickness: 3px; text-decoration-color: var(--focus); text-underline-offset: .3em }
.address code { background: none; padding: 0; font-size: 1rem; overflow-wrap: anywhere }
.answer { margin-block-start: .75rem }
.status { font-weight: bold }
.method { display: inline-block; min-width: 3.9rem; padding: .1rem .4rem; border-radius: 4px; text-align: center;
  font: bold .75rem/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace }
.get { color: var(--get); background: var(--get-paper) }
.post { color: var(--post); background: var(--post-paper) }
.patch { color: var(--patch); background: var(--patch-paper) }
.delete { color: var(--delete); background: var(--delete-paper) }

details { margin: .5rem 0 }
summary { cursor: pointer; color: var(--link); padding-block: .25rem; width: fit-content }
nav ul { list-style: none; margin: 0; padding: 0 }
nav > details > ul > li { margin-block-end: .75rem }
nav > details > ul > li > a { font-weight: bold; color: inherit }
nav a { text-decoration: none }
nav a:hover { text-decoration: underline }
nav ul ul a { display: flex; gap: .6rem; align-items: baseline; padding-block: .25rem; color: var(--ink); font-size: .9375rem; line-height: 1.35 }
nav .method { flex: none; min-width: 3.4rem; padding-inline: .2rem; font-size: .6875rem }
nav > details { border-block-end: 1px solid var(--line); margin: 0; padding-block: .75rem }
nav > details > summary { font-weight: bold }

table { width: 100%; margin: .75rem 0; border-collapse: collapse; font-size: .9375rem; line-height: 1.5 }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap }
th, td { text-align: start; vertical-align: top; padding: .45rem .75rem .45rem 0; border-block-end: 1px solid var(--line); font-weight: normal }
thead th { color: var(--soft); font-size: .8125rem; white-space: nowrap }
tbody th code { font-weight: bold }

@media (max-width: 45rem) {
  table, tbody, tr { display: block; width: 100% }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  tr { padding-block: .6rem; border-block-end: 1px solid var(--line) }
  th, td { display: inline; border: 0; padding: 0; overflow-wrap: anywhere }
  tbody th, td:not(:last-child) { margin-inline-end: .6rem }
  td:not(:last-child) { color: var(--soft); font-size: .875rem }
  td:nth-child(n+3):last-child { display: block }
  pre { padding: .6rem .75rem; font-size: .9375rem }
}
@media (min-width: 45.01rem) {
  td:last-child { width: 50% }
  td:last-child:nth-child(2) { width: 80% }
  td:nth-child(3):not(:last-child) { white-space: nowrap }
}
@media (min-width: 64rem) {
  .page { display: grid; grid-template-columns: 20rem minmax(0, 54rem); justify-content: center; gap: 2rem }
  header, footer { padding-inline: max(1.25rem, (100% - 76rem) / 2 + 1.25rem) }
  nav { position: sticky; top: 0; max-height: 100vh; overflow-y: auto; align-self: start; padding-block: 1.25rem }
  main { padding-block-start: 1.5rem }
  @supports selector(::details-content) {
    nav > details { border: 0; padding: 0 }
    nav > details > summary { display: none }
    nav > details::details-content { content-visibility: visible; block-size: auto }
  }
}
@media print {
  :root { color-scheme: light; --paper: #fff; --raised: #fff; --ink: #000; --soft: #444; --line: #bbb; --link: #000 }
  nav, .skip { display: none }
  html { font-size: 10pt }
  .page { display: block }
  details::details-content { content-visibility: visible; block-size: auto }
  summary { list-style: none; color: var(--soft) }
  summary::-webkit-details-marker { display: none }
  h2, h3, h4, summary, .address, .access, .answer { break-after: avoid }
  tr, pre { break-inside: avoid }
  .method { border: 1px solid; background: none; color: #000 }
}
`
