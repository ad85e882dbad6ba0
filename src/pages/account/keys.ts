import {
  type CreatedKey,
  createOwnKey,
  keyNameFault,
  listOwnKeys,
  noSuchKey,
  readOwnKey,
  removeOwnKey,
  rotateOwnKey,
  type Scope,
  scopes,
  type UserKey,
} from '../../accounts/index.ts'
import { responseOfRefusal } from '../../http/responses/errors.ts'
import { type Html, html } from '../../lib/html.ts'
import { isId } from '../../lib/ids.ts'
import { invalidFields, Refusal } from '../../lib/refusal.ts'
import { changeSite } from '../../tenants/index.ts'
import { tokenField } from '../../ui/form.ts'
import { checkField, codeField, selectField, submitButton, textField } from '../../ui/parts/controls.ts'
import { chip, table } from '../../ui/parts/lists.ts'
import { banner, emptyState } from '../../ui/parts/states.ts'
import type { Reader } from '../../ui/reader.ts'
import { refusalInWords } from '../../ui/refusal-words.ts'
import { orRefusal } from '../../ui/refused.ts'
import { writeAgo, writeUntil } from '../../words/format.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../page-call.ts'
import { accountFaultsOf } from './account-faults.ts'
import { proofLink } from './proof.ts'
import { formFault, settingsPage, settingsPart } from './settings/settings-frame.ts'
import { ownAlbums } from './settings/uploads.ts'

/** The largest number of keys that a user may have is usually 50; an operator may allow more. */
const mostKeys = 500

export const showKeys: PageHandler = async (call) => ({ page: await pageOf(call, {}) })

/** Only a key that uploads needs no proof: all others can read or change what is the user's. */
export const makesStrongKey = ({ form }: PageCall): boolean => readKeyForm(form).scope !== 'upload'

export const makeKey: PageHandler = async (call) => {
  const { app, site, form } = call
  const given = readKeyForm(form)
  const created = await orRefusal(
    (async () => {
      checkName(given.name)
      return changeSite(app.control, site, (changing) =>
        createOwnKey(changing, userOf(call), {
          name: given.name,
          scope: given.scope,
          expiresAt: endOf(given.days, site.clock.now()),
          albumId: given.albumId === '' ? undefined : given.albumId,
          allowedOrigins: [],
          allowedAddresses: [],
        }),
      )
    })(),
  )
  if (!(created instanceof Refusal)) return shown(call, created)
  const { status, headers } = responseOfRefusal(created)
  return {
    page: await pageOf(call, { form: { ...given, faults: faultsOf(call, created) } }),
    status,
    headers,
  }
}

/** The new secret is as good as a new key, so it needs the same proof. */
export async function isStrongKey(call: PageCall): Promise<boolean> {
  const { scope } = await readOwnKey(call.site, userOf(call), keyId(call))
  return scope !== 'upload'
}

export const rotateKey: PageHandler = async (call) => {
  const { app, site } = call
  const id = keyId(call)
  const overlapSeconds = call.form.get('overlap') === '1' ? 86_400 : 0
  const rotated = await changeSite(app.control, site, (changing) =>
    rotateOwnKey(changing, userOf(call), { id, overlapSeconds }),
  )
  return shown(call, rotated)
}

export const revokeKey: PageHandler = async (call) => {
  const id = keyId(call)
  await changeSite(call.app.control, call.site, (changing) => removeOwnKey(changing, userOf(call), id))
  return { to: '/settings/keys?saved=1' }
}

/** The page with the key itself: shown once, kept by no cache. */
async function shown(call: PageCall, created: CreatedKey): Promise<PageAnswer> {
  return { page: await pageOf(call, { created }), isSecret: true }
}

async function pageOf(call: PageCall, more: { created?: CreatedKey; form?: KeyForm }): Promise<string> {
  const keys = await listOwnKeys(call.site, userOf(call), { after: undefined, limit: mostKeys })
  return keysPage(call, { keys, albums: await ownAlbums(call), form: emptyKeyForm, ...more })
}

function keyId({ params }: PageCall): string {
  const { id = '' } = params
  if (!isId(id)) throw noSuchKey(id.slice(0, 64))
  return id
}

function readKeyForm(form: URLSearchParams): Omit<KeyForm, 'faults'> {
  const scope = scopes.find((each) => each === form.get('scope')) ?? 'upload'
  const days = ['30', '90', '365'].find((each) => each === form.get('days')) ?? ''
  return {
    name: form.get('name')?.trim() ?? '',
    scope: scope satisfies Scope,
    days,
    albumId: form.get('album') ?? '',
  }
}

function checkName(name: string): void {
  const fault = keyNameFault(name)
  if (fault !== undefined) throw invalidFields([{ field: 'name', ...fault }], 'invalid-key')
}

const endOf = (days: string, now: Date): Date | undefined =>
  days === '' ? undefined : new Date(now.getTime() + Number(days) * 86_400_000)

function faultsOf({ reader }: PageCall, refusal: Refusal): NonNullable<KeyForm['faults']> {
  const { words } = reader
  if (refusal.code === 'key-name-taken') return { name: words.keyNameTaken }
  const { album_id: album, ...faults } = Object.fromEntries(refusalInWords(reader, refusal))
  if (album !== undefined) return { album }
  return { ...faults, ...accountFaultsOf(reader, refusal) }
}

interface KeyForm {
  name: string
  scope: Scope
  /** Until the key ends; empty for never. */
  days: string
  albumId: string
  faults?: { name?: string; album?: string; current?: string; form?: string }
}

const emptyKeyForm: KeyForm = { name: '', scope: 'upload', days: '', albumId: '' }

interface Keys {
  keys: readonly UserKey[]
  albums: readonly (readonly [id: string, title: string])[]
  form: KeyForm
  created?: CreatedKey
}

function keysPage(call: PageCall, { keys, albums, form, created }: Keys): string {
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

/** The keys of the reader, each with what it may do and when it was used. */
function keyList(call: PageCall, keys: readonly UserKey[], albums: ReadonlyMap<string, string>): Html {
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
