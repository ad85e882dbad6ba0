import type { UserKey } from '../../../accounts/index.ts'
import { type Html, html } from '../../../lib/html.ts'
import { writeAgo, writeUntil } from '../../../words/format.ts'
import { tokenField } from '../../form.ts'
import type { PageCall } from '../../page-call.ts'
import { checkField, submitButton } from '../../parts/controls.ts'
import { chip, table } from '../../parts/lists.ts'
import { emptyState } from '../../parts/states.ts'
import type { Reader } from '../../reader.ts'

/** The keys of the reader, each with what it may do and when it was used. */
export function keyList(call: PageCall, keys: readonly UserKey[], albums: ReadonlyMap<string, string>): Html {
  const { reader, site } = call
  const { words, language } = reader
  if (keys.length === 0) return emptyState({ title: words.noKeys, text: words.noKeysText })
  const now = site.clock.now()
  const rows = keys.map((key) => {
    const album = key.albumId === undefined ? undefined : (albums.get(key.albumId) ?? words.oneAlbum)
    const isEnded = key.expiresAt !== undefined && key.expiresAt <= now
    const end = key.expiresAt && !isEnded ? writeUntil(language, key.expiresAt, now) : words.never
    const used = key.lastUsedAt && (writeAgo(language, key.lastUsedAt, now) ?? words.momentsAgo)
    return [
      html`<span class="with-chip"><span dir="auto">${key.name}</span>${isEnded ? chip(words.keyEnded, 'warn') : undefined}</span>`,
      html`<span dir="auto">${album === undefined ? words.scopeNames[key.scope] : `${words.scopeNames[key.scope]}, ${album}`}</span>`,
      html`${used ?? words.neverUsed}`,
      html`${isEnded ? words.keyEnded : end}`,
      actionsOf(reader, key),
    ]
  })
  const columns = [words.keyName, words.keyScope, words.lastUsed, words.keyEnds, words.action]
  return table(
    words.yourKeys,
    columns.map((name) => ({ name })),
    rows,
  )
}

/** Neither can be undone, so each asks: a folded part works without script. */
function actionsOf(reader: Reader, { id, name }: UserKey): Html {
  const { words } = reader
  const fold = (label: string, content: Html) =>
    html`<details class="fold"><summary class="button plain dense" aria-label="${label}: ${name}">${label}</summary>${content}</details>`
  const rotate = html`<form method="post" action="/settings/keys/${id}/rotate">${tokenField(reader)}<p>${words.rotateText}</p>${checkField({ label: words.rotateOverlap, name: 'overlap', isOn: true })}${submitButton(words.rotateYes, { isDense: true })}</form>`
  const revoke = html`<form method="post" action="/settings/keys/${id}/revoke">${tokenField(reader)}<p>${words.revokeText}</p>${submitButton(words.revokeYes, { look: 'danger', isDense: true })}</form>`
  return html`<div class="folds">${fold(words.rotate, rotate)}${fold(words.revoke, revoke)}</div>`
}
