import { type Html, html } from '../lib/html.ts'
import type { Words } from '../words/en.ts'
import { button, dialog, switchField } from './parts/controls.ts'

/** A key of a page. The element that it presses names it in `aria-keyshortcuts`. */
export interface PageKey {
  key: string
  does: string
}

/** Shown by the script: without it there are no keys. */
export const keysButton = (words: Words, keys: readonly PageKey[]): Html | undefined =>
  keys.length === 0
    ? undefined
    : button(words.keys, {
        look: 'quiet',
        isDense: true,
        icon: 'keys',
        more: { commandfor: 'keys', command: 'show-modal', hidden: true },
      })

/** What `?` opens: every key of the page, and the switch that turns letters off. */
export function keysDialog(words: Words, keys: readonly PageKey[]): Html | undefined {
  if (keys.length === 0) return undefined
  const rows = [...keys, { key: '?', does: words.keyList }].map(
    ({ key, does }) => html`<div><dt><kbd>${key}</kbd></dt><dd>${does}</dd></div>`,
  )
  return dialog({
    id: 'keys',
    title: words.keys,
    close: words.close,
    content: html`<dl class="key-list">${rows}</dl>
${switchField({ label: words.keysSwitch, name: 'letter-keys', isOn: true })}`,
  })
}
