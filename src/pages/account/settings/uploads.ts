import {
  copyFormats,
  copySizes,
  defaultPreferences,
  editPreferences,
  expirations,
  mostTemplateLength,
  type Preferences,
} from '../../../accounts/index.ts'
import { nameOf } from '../../../http/uploads/upload-metadata.ts'
import { type Html, html } from '../../../lib/html.ts'
import { isId } from '../../../lib/ids.ts'
import { Refusal } from '../../../lib/refusal.ts'
import {
  endOwnUpload,
  listAlbums,
  listOwnUploads,
  type ResumableUpload,
  uploadNotFound,
} from '../../../media/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { checkField, selectField, submitButton, textField } from '../../../ui/parts/controls.ts'
import { table } from '../../../ui/parts/lists.ts'
import { progress } from '../../../ui/parts/states.ts'
import { orRefusal } from '../../../ui/refused.ts'
import type { Words } from '../../../words/en.ts'
import { writeSize, writeUntil } from '../../../words/format.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { settingsPage, settingsPart } from './settings-frame.ts'

/** Enough for a list to choose from; larger collections choose in the upload itself. */
const mostAlbums = 200

/** A user usually has at most 20; an operator may allow more. */
const mostUploads = 200

export async function ownAlbums(call: PageCall): Promise<(readonly [id: string, title: string])[]> {
  const caller = userOf(call)
  const listing = {
    userId: caller.userId,
    parentId: undefined,
    sort: 'createdAt',
    isDescending: true,
  } as const
  const albums = await listAlbums(call.site, caller, listing, { after: undefined, limit: mostAlbums })
  return albums.map(({ id, title }) => [id, title])
}

export const showUploads: PageHandler = async (call) => ({
  page: await pageOf(call, { chosen: call.session?.preferences }),
})

async function pageOf(call: PageCall, defaults: Omit<UploadDefaults, 'albums'>): Promise<string> {
  const unfinished = await listOwnUploads(call.site, userOf(call), { after: undefined, limit: mostUploads })
  return uploadsPage(call, { ...defaults, albums: await ownAlbums(call) }, unfinished)
}

export const saveUploads: PageHandler = async (call) => {
  const { app, site } = call
  const chosen = chosenIn(call.form)
  if (chosen.copyFormat === 'own' && chosen.copyTemplate === '') return refuse(call, chosen, 'copyTemplate')
  const saved = await orRefusal(
    changeSite(app.control, site, (changing) => editPreferences(changing, userOf(call), chosen)),
  )
  if (!(saved instanceof Refusal)) return { to: '/settings/uploads?saved=1' }
  return refuse(call, chosen, saved.faults[0]?.field === 'copyTemplate' ? 'copyTemplate' : 'albumId')
}

async function refuse(
  call: PageCall,
  sent: Partial<Preferences>,
  refused: RefusedPreference,
): Promise<PageAnswer> {
  const chosen = { ...call.session?.preferences, ...sent } as Preferences
  return { page: await pageOf(call, { chosen, refused }), status: 400 }
}

export const cancelUpload: PageHandler = async (call) => {
  const { app, site, params } = call
  const { id = '' } = params
  if (!isId(id)) throw uploadNotFound()
  const ended = await orRefusal(
    changeSite(app.control, site, (changing) => endOwnUpload(changing, userOf(call), id)),
  )
  // One that has ended in the meantime is what was asked for.
  if (ended instanceof Refusal && ended.kind !== 'not-found') throw ended
  return { to: '/settings/uploads?canceled=1' }
}

/** A choice that is not on the page is left as it was. */
function chosenIn(form: URLSearchParams): Partial<Preferences> {
  const one = <Word extends string>(name: string, words: readonly Word[]) =>
    words.find((word) => word === form.get(name))
  const [copyFormat, copySize] = [one('format', copyFormats), one('size', copySizes)]
  const expiration = one('expiration', expirations)
  return {
    albumId: form.get('album') ?? '',
    isNsfw: form.get('nsfw') === '1',
    copyTemplate: form.get('template')?.trim() ?? '',
    ...(copyFormat !== undefined && { copyFormat }),
    ...(copySize !== undefined && { copySize }),
    ...(expiration !== undefined && { expiration }),
  }
}

interface UploadDefaults {
  albums: readonly (readonly [id: string, title: string])[]
  chosen: Preferences | undefined
  refused?: RefusedPreference
}

type RefusedPreference = 'albumId' | 'copyTemplate'

function uploadsPage(
  call: PageCall,
  defaults: UploadDefaults,
  unfinished: readonly ResumableUpload[],
): string {
  const { words } = call.reader
  const content = html`${settingsPart(words.uploadDefaults, defaultsForm(call, defaults))}
${settingsPart(words.unfinishedUploads, unfinishedList(call, unfinished))}`
  const done = call.query.get('canceled') === '1' ? words.uploadCanceled : undefined
  return settingsPage(call, '/settings/uploads', content, done)
}

/** To cancel one cannot be undone, so it asks: a folded part works without script. */
function unfinishedList({ reader, site }: PageCall, uploads: readonly ResumableUpload[]): Html {
  const { words, language } = reader
  if (uploads.length === 0) return html`<p class="soft">${words.noUnfinishedUploads}</p>`
  const rows = uploads.map((upload) => {
    const { id, lengthBytes, offsetBytes, expiresAt } = upload
    const name = nameOf(upload)
    const stored = words.uploadedOfSize(writeSize(language, offsetBytes), writeSize(language, lengthBytes))
    return [
      html`<span dir="auto">${name}</span>`,
      html`<div class="use"><span>${stored}</span>${progress(`${name}: ${stored}`, offsetBytes, lengthBytes)}</div>`,
      html`${writeUntil(language, expiresAt, site.clock.now())}`,
      html`<details class="fold"><summary class="button plain dense" aria-label="${words.cancelUpload}: ${name}">${words.cancelUpload}</summary><form method="post" action="/settings/uploads/${id}/cancel">${tokenField(reader)}<p>${words.cancelUploadText}</p>${submitButton(words.cancelUpload, { look: 'danger', isDense: true })}</form></details>`,
    ]
  })
  const columns = [words.uploadedFile, words.uploadedSoFar, words.uploadExpires, words.action].map(
    (name) => ({ name }),
  )
  return html`<p class="soft">${words.unfinishedUploadsText}</p>
${table(words.unfinishedUploads, columns, rows)}`
}

function defaultsForm(
  { reader }: PageCall,
  { albums, chosen = defaultPreferences, refused }: UploadDefaults,
): Html {
  const { words } = reader
  return html`<form method="post" action="/settings/uploads" class="stack">
${tokenField(reader)}
<p class="soft">${words.uploadDefaultsText}</p>
${selectField({
  label: words.defaultAlbum,
  name: 'album',
  value: chosen.albumId,
  options: [['', words.noAlbum], ...albums],
  fault: refused === 'albumId' ? words.albumGone : undefined,
})}
${selectField({ label: words.defaultExpiration, name: 'expiration', value: chosen.expiration, options: expirationOptions(words) })}
${checkField({ label: words.defaultNsfw, name: 'nsfw', isOn: chosen.isNsfw })}
<fieldset class="pair"><legend>${words.copyDefaults}</legend>
${selectField({ label: words.copyFormat, name: 'format', value: chosen.copyFormat, options: formatOptions(words) })}
${selectField({ label: words.copySize, name: 'size', value: chosen.copySize, options: sizeOptions(words) })}
</fieldset>
${textField({
  label: words.ownTemplate,
  name: 'template',
  value: chosen.copyTemplate,
  hint: words.ownTemplateHint('{url} {page} {short} {title} {name} {width} {height}', '{title:html}'),
  fault: refused === 'copyTemplate' ? words.ownTemplateFault(mostTemplateLength) : undefined,
  more: { maxlength: mostTemplateLength, spellcheck: 'false', autocapitalize: 'off', dir: 'auto' },
})}
<p>${submitButton(words.save)}</p>
</form>`
}

const expirationOptions = (words: Words) =>
  expirations.map((duration) => [duration, words.durations[duration === '' ? 'never' : duration]] as const)

function formatOptions(words: Words) {
  const names = {
    link: words.shortLink,
    page: words.codePage,
    markdown: 'Markdown',
    html: 'HTML',
    bbcode: 'BBCode',
    own: words.ownTemplate,
  }
  return copyFormats.map((format) => [format, names[format]] as const)
}

function sizeOptions(words: Words) {
  const names = { full: words.sizeFull, medium: words.sizeMedium, thumb: words.sizeThumb }
  return copySizes.map((size) => [size, names[size]] as const)
}
