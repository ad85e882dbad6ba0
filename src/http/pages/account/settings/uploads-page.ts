import {
  copyFormats,
  copySizes,
  defaultPreferences,
  expirations,
  mostTemplateLength,
  type Preferences,
} from '../../../../accounts/index.ts'
import { html } from '../../../responses/html.ts'
import { tokenField } from '../../form.ts'
import type { PageCall } from '../../page-call.ts'
import { submitButton } from '../../parts/controls/button.ts'
import { checkField, selectField, textField } from '../../parts/controls/field.ts'
import type { Words } from '../../words/en.ts'
import { settingsPage, settingsPart } from './settings-frame.ts'

interface UploadDefaults {
  albums: readonly (readonly [id: string, title: string])[]
  chosen: Preferences | undefined
  refused?: RefusedPreference
}

export type RefusedPreference = 'albumId' | 'copyTemplate'

export function uploadsPage(
  call: PageCall,
  { albums, chosen = defaultPreferences, refused }: UploadDefaults,
): string {
  const { reader } = call
  const { words } = reader
  const content = html`<form method="post" action="/settings/uploads" class="stack">
${tokenField(reader)}
<p class="soft">${words.uploadDefaultsText}</p>
${selectField({
  ...{ label: words.defaultAlbum, name: 'album', value: chosen.albumId },
  ...{
    options: [['', words.noAlbum], ...albums],
    fault: refused === 'albumId' ? words.albumGone : undefined,
  },
})}
${selectField({ label: words.defaultExpiration, name: 'expiration', value: chosen.expiration, options: expirationOptions(words) })}
${checkField({ label: words.defaultNsfw, name: 'nsfw', isOn: chosen.isNsfw })}
<fieldset class="pair"><legend>${words.copyDefaults}</legend>
${selectField({ label: words.copyFormat, name: 'format', value: chosen.copyFormat, options: formatOptions(words) })}
${selectField({ label: words.copySize, name: 'size', value: chosen.copySize, options: sizeOptions(words) })}
</fieldset>
${textField({
  ...{ label: words.ownTemplate, name: 'template', value: chosen.copyTemplate },
  hint: words.ownTemplateHint('{url} {page} {short} {title} {name} {width} {height}', '{title:html}'),
  fault: refused === 'copyTemplate' ? words.ownTemplateFault(mostTemplateLength) : undefined,
  more: { maxlength: mostTemplateLength, spellcheck: 'false', autocapitalize: 'off', dir: 'auto' },
})}
<p>${submitButton(words.save)}</p>
</form>`
  return settingsPage(call, '/settings/uploads', settingsPart(words.uploadDefaults, content))
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
