import type { CreatedKey, Scope, UserKey } from '../../../accounts/index.ts'
import { type Html, html } from '../../../lib/html.ts'
import { tokenField } from '../../form.ts'
import type { PageCall } from '../../page-call.ts'
import { codeField, selectField, submitButton, textField } from '../../parts/controls.ts'
import { banner } from '../../parts/states.ts'
import { proofLink } from '../proof.ts'
import { formFault, settingsPage, settingsPart } from '../settings/settings-frame.ts'
import { keyList } from './key-list.ts'

export interface KeyForm {
  name: string
  scope: Scope
  /** Until the key ends; empty for never. */
  days: string
  albumId: string
  faults?: { name?: string; album?: string; current?: string; form?: string }
}

export const emptyKeyForm: KeyForm = { name: '', scope: 'upload', days: '', albumId: '' }

interface Keys {
  keys: readonly UserKey[]
  albums: readonly (readonly [id: string, title: string])[]
  form: KeyForm
  created?: CreatedKey
}

export function keysPage(call: PageCall, { keys, albums, form, created }: Keys): string {
  const { words } = call.reader
  const content = html`${created && newKey(call, created)}
${settingsPart(words.yourKeys, keyList(call, keys, new Map(albums)))}
${settingsPart(words.makeKey, keyForm(call, form, albums))}`
  return settingsPage(call, '/settings/keys', content)
}

function newKey({ reader: { words } }: PageCall, { row, key }: CreatedKey): Html {
  return banner(
    html`<p><strong>${words.keyMade(row.name)}</strong> ${words.keyOnce}</p>
${codeField({ id: 'new-key', label: words.key, text: key, copy: { label: words.copy, name: words.copyKey } })}`,
    'good',
  )
}

function keyForm(call: PageCall, form: KeyForm, albums: Keys['albums']): Html {
  const { reader, session } = call
  const { words } = reader
  const { faults = {} } = form
  const isStaff = session?.caller.role !== 'user'
  const allowed = (['upload', 'read', 'write', ...(isStaff ? ['admin' as const] : [])] as const).map(
    (scope) => [scope, words.scopes[scope]] as const,
  )
  const days = (['', '30', '90', '365'] as const).map(
    (each) => [each, words.keyDays[each === '' ? 'never' : each]] as const,
  )
  return html`<form method="post" action="/settings/keys" class="stack">
${tokenField(reader)}
${formFault(faults.form)}
${textField({
  label: words.keyName,
  name: 'name',
  value: form.name,
  hint: words.keyNameHint,
  fault: faults.name,
  more: { required: true, maxlength: 64, autocomplete: 'off', dir: 'auto' },
})}
${selectField({ label: words.keyScope, name: 'scope', value: form.scope, options: allowed })}
${selectField({ label: words.keyAlbum, name: 'album', value: form.albumId, options: [['', words.everyAlbum], ...albums], hint: words.keyAlbumHint, fault: faults.album })}
${selectField({ label: words.keyEnds, name: 'days', value: form.days, options: days })}
${laterProof(call)}
<p>${submitButton(words.makeKey)}</p>
</form>`
}

/** Not required by the form: an upload key needs no proof, and without script the form cannot tell which is chosen. */
function laterProof(call: PageCall): Html | undefined {
  const { session, reader } = call
  const { words } = reader
  if (session?.isProven) return undefined
  if (!session?.hasPassword) return proofLink(call)
  return textField({
    label: words.currentPassword,
    name: 'current',
    hint: words.proofForKeys,
    more: { type: 'password', autocomplete: 'current-password' },
  })
}
