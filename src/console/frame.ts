import { responseOfRefusal } from '../http/responses/errors.ts'
import { attributes, type Html, html } from '../lib/html.ts'
import type { Refusal } from '../lib/refusal.ts'
import { assetPath } from '../ui/assets/assets.ts'
import { markOf, writeDocument } from '../ui/document.ts'
import { tokenField } from '../ui/form.ts'
import type { PageKey } from '../ui/keys.ts'
import { submitButton } from '../ui/parts/controls.ts'
import { type IconName, icon, mark } from '../ui/parts/icon.ts'
import { banner } from '../ui/parts/states.ts'
import type { Reader } from '../ui/reader.ts'
import type { Words } from '../words/en.ts'
import { type ConsoleAnswer, type ConsoleCall, consolePath, isKept } from './console-call.ts'

interface RailEntry {
  /** Below the prefix. */
  path: string
  icon: IconName
  label: (words: Words) => string
  /** The letter that leads to it behind a `g`. */
  key: string
}

/** The rail: every part of the console. */
const rail: readonly RailEntry[] = [
  { path: '', icon: 'chart', label: (words) => words.consoleOverview, key: 'o' },
  { path: 'tenants', icon: 'category', label: (words) => words.consoleTenants, key: 't' },
  { path: 'plans', icon: 'tag', label: (words) => words.consolePlans, key: 'p' },
  { path: 'moves', icon: 'open', label: (words) => words.consoleMoves, key: 'm' },
  { path: 'jobs', icon: 'clock', label: (words) => words.consoleJobs, key: 'j' },
  { path: 'health', icon: 'heart', label: (words) => words.consoleHealth, key: 'h' },
  { path: 'backups', icon: 'folder', label: (words) => words.consoleBackups, key: 'b' },
  { path: 'keys', icon: 'key', label: (words) => words.consoleKeys, key: 'k' },
  { path: 'operators', icon: 'people', label: (words) => words.consoleOperators, key: 'r' },
  { path: 'audit', icon: 'queue', label: (words) => words.consoleAudit, key: 'a' },
]

export type RailPath =
  | ('' | 'tenants' | 'plans' | 'moves' | 'jobs' | 'health' | 'backups' | 'keys' | 'operators' | 'audit')
  | 'me'

interface ConsolePage {
  /** The entry of the rail that the page belongs to. */
  part: RailPath
  title: string
  /** Beside the title. */
  actions?: Html | undefined
  /** What the last form did; `?saved=1` says it in general. */
  done?: Html | undefined
  content: Html
  keys?: readonly PageKey[]
}

/** The frame of every page for people who are logged in: the rail, a title, and what the last form did. */
export function consolePage(call: ConsoleCall, page: ConsolePage): string {
  const { reader, query } = call
  const { words } = reader
  const done = page.done ?? (query.get('saved') === '1' ? html`<p>${words.saved}</p>` : undefined)
  return writeConsole(reader, {
    title: page.title,
    top: railOf(call, page.part),
    keys: [...(page.keys ?? []), ...pageKeys(words)],
    body: html`<header class="console-head"><h1 dir="auto">${page.title}</h1>${page.actions}</header>
<div role="status">${done && banner(done, 'good')}${isKept(call) ? banner(html`<p>${words.consoleKept}</p>`, 'warn') : undefined}</div>
${page.content}`,
  })
}

/** A part of a page under its own heading. */
export const section = (title: string, content: Html): Html =>
  html`<section class="section"><h2>${title}</h2>${content}</section>`

/** A form that is shown again with why it was refused. */
export function answerOfRefusal(refusal: Refusal, page: string): ConsoleAnswer {
  const { status, headers } = responseOfRefusal(refusal)
  return { page, status, headers }
}

/** A page without the rail, for those who are not logged in, and for errors. */
export const questionPage = (reader: Reader, { title, content }: { title: string; content: Html }): string =>
  writeConsole(reader, {
    title,
    top: html``,
    keys: [],
    isQuestion: true,
    body: html`<div class="question">
${mark('steps')}
<h1>${title}</h1>
${content}
</div>`,
  })

/** An error keeps the frame, so that an operator who is logged in can go on by the rail. */
export function errorPage(
  reader: Reader,
  caller: ConsoleCall['caller'],
  { title, content }: { title: string; content: Html },
): string {
  if (!caller) return questionPage(reader, { title, content })
  return writeConsole(reader, {
    title,
    top: railOf({ reader, caller }),
    keys: pageKeys(reader.words),
    body: html`<header class="console-head"><h1>${title}</h1></header>
<section class="section">${content}</section>`,
  })
}

interface Written {
  title: string
  top: Html
  body: Html
  keys: readonly PageKey[]
  isQuestion?: boolean
}

const writeConsole = (reader: Reader, { title, top, body, keys, isQuestion }: Written): string =>
  writeDocument({
    title: `${title} - ${reader.words.consoleTitle}`,
    reader,
    styles: ['plain.css', 'console.css'],
    links: html`<link rel="icon" href="${assetPath('mark.svg')}" type="image/svg+xml">`,
    head: html`<meta name="robots" content="noindex">
<script type="module" src="${assetPath('console.js')}"></script>`,
    bodyAttributes: { class: isQuestion ? undefined : 'console', 'data-session': markOf(reader.formToken) },
    top,
    body,
    keys,
  })

function railOf({ reader, caller }: Pick<ConsoleCall, 'reader' | 'caller'>, part?: RailPath): Html {
  const { words } = reader
  const links = rail.map((entry) =>
    linkOf(consolePath(entry.path), html`${icon(entry.icon)}${entry.label(words)}`, entry.path === part),
  )
  return html`<header class="console-rail">
<a class="brand" href="${consolePath()}">${mark('mark')}<span>Terrace</span></a>
${findForm(reader)}
<nav aria-label="${words.navigation}">${links}</nav>
<div class="console-rail-end">
${linkOf(consolePath('me'), html`${icon('person')}<span dir="auto">${caller?.username}</span>`, part === 'me')}
<form method="post" action="${consolePath('logout')}">${tokenField(reader)}${submitButton(words.logOut, { look: 'quiet', icon: 'leave' })}</form>
</div>
</header>`
}

const linkOf = (path: string, content: Html, isCurrent: boolean): Html =>
  html`<a${attributes({ href: path, 'aria-current': isCurrent ? 'page' : undefined })}>${content}</a>`

const findForm = ({ words }: Reader): Html =>
  html`<form class="find" role="search" action="${consolePath('find')}" data-suggest="${words.consoleFound}" data-from="${consolePath('-/find')}" data-enter="first">${icon('search')}<input type="search" name="q" aria-label="${words.consoleFind}" placeholder="${words.consoleFind}" maxlength="2000" autocapitalize="off" spellcheck="false" aria-keyshortcuts="Control+K"></form>`

/** Those of every page. */
const pageKeys = (words: Words): PageKey[] => [
  { key: 'Ctrl K', does: words.consoleFind },
  ...rail.map(({ path, key, label }) => ({ key, does: label(words), path: consolePath(path) })),
]
