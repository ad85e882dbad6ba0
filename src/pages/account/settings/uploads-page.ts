import {
  copyFormats,
  copySizes,
  defaultPreferences,
  expirations,
  mostTemplateLength,
  type Preferences,
} from '../../../accounts/index.ts'
import { nameOf } from '../../../http/uploads/upload-metadata.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { ResumableUpload } from '../../../media/index.ts'
import type { Words } from '../../../words/en.ts'
import { writeSize, writeUntil } from '../../../words/format.ts'
import { tokenField } from '../../form.ts'
import type { PageCall } from '../../page-call.ts'
import { checkField, selectField, submitButton, textField } from '../../parts/controls.ts'
import { table } from '../../parts/lists.ts'
import { progress } from '../../parts/states.ts'
import { settingsPage, settingsPart } from './settings-frame.ts'

export interface UploadDefaults {
  albums: readonly (readonly [id: string, title: string])[]
  chosen: Preferences | undefined
  refused?: RefusedPreference
}

export type RefusedPreference = 'albumId' | 'copyTemplate'

export function uploadsPage(
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
