import { type Html, html } from '../lib/html.ts'
import type { Words } from '../words/en.ts'
import { button, dialog, switchField } from './parts/controls.ts'

/** A key of a page. The element that it presses names it in `aria-keyshortcuts`. */
export interface PageKey {
  key: string
  does: string
  /** The key follows a `g` and leads here. */
  path?: string
}

/** Shown by the script: without it there are no keys. */
export const keysButton = (words: Words): Html =>
  button(words.keys, {
    look: 'quiet',
    isDense: true,
    icon: 'keys',
    more: { commandfor: 'keys', command: 'show-modal', hidden: true },
  })

type KeyName = keyof Words['keyNames']

/** What `?` opens: every key of the page, and the switch that turns letters off. */
export function keysDialog(words: Words, keys: readonly PageKey[]): Html {
  const nameOf = (key: string) =>
    key.replace(/^(Ctrl|Delete|Shift)\b/, (name) => words.keyNames[name as KeyName])
  const rows = [...keys, { key: '?', does: words.keyList }].map((key) =>
    key.path === undefined
      ? html`<div><dt><kbd>${nameOf(key.key)}</kbd></dt><dd>${key.does}</dd></div>`
      : html`<div><dt><kbd>g</kbd> ${words.keyThen} <kbd>${key.key}</kbd></dt><dd><a href="${key.path}" data-go="${key.key}">${key.does}</a></dd></div>`,
  )
  return dialog({
    id: 'keys',
    title: words.keys,
    close: words.close,
    content: html`<dl class="key-list">${rows}</dl>
${switchField({ label: words.keysSwitch, name: 'letter-keys', isOn: true })}`,
  })
}
