import { type Html, html } from '../../lib/html.ts'
import { expirations } from '../../media/index.ts'
import { writeDuration, writeSize } from '../../words/format.ts'
import { checkField, selectField, tagsField, textField } from '../parts/controls.ts'
import { meter } from '../parts/states.ts'
import type { Reader } from '../reader.ts'
import type { UploadForm } from './upload-form.ts'

/** What all files of the form get. On phones it is folded. */
export function optionFields(form: UploadForm): Html {
  const { reader, choices, isMember } = form
  const { words, language } = reader
  const value = (name: string) => (form.given ? form.given.get(name) : form.data.defaults[name]) ?? ''
  const texts = { autocomplete: 'off' }
  return html`<aside class="options" aria-labelledby="for-all">
<h2 id="for-all">${words.forAll}</h2>
<details><summary>${words.forAll}</summary>
<div class="stack">
${textField({ label: words.optionTitle, name: 'title', value: value('title'), more: { ...texts, maxlength: 100, dir: 'auto' } })}
${tagsField({ label: words.optionTags, name: 'tags', value: value('tags'), hint: words.optionTagsHint, more: { ...texts, maxlength: 1_000, dir: 'auto' } })}
${isMember ? albumFields(form, value) : undefined}
${
  choices.categories.length === 0
    ? undefined
    : selectField({
        label: words.optionCategory,
        name: 'category_id',
        value: value('category_id'),
        options: [
          ['', words.optionNoCategory],
          ...choices.categories.map(({ id, name }) => [String(id), name] as const),
        ],
      })
}
${selectField({
  label: words.optionExpiration,
  name: 'expiration',
  value: value('expiration'),
  options: [
    ['', words.optionNever],
    ...expirations.map((each) => [each, writeDuration(language, each)] as const),
  ],
})}
${checkField({ label: words.optionNsfw, name: 'nsfw', isOn: value('nsfw') === '1' })}
${storageUse(form)}
</div></details>
</aside>`
}

function albumFields({ reader, choices }: UploadForm, value: (name: string) => string): Html {
  const { words } = reader
  return html`${selectField({
    label: words.optionAlbum,
    name: 'album_id',
    value: value('album_id'),
    options: [['', words.optionNoAlbum], ...choices.albums.map(({ id, title }) => [id, title] as const)],
  })}
${textField({
  label: words.optionNewAlbum,
  name: 'new_album',
  value: value('new_album'),
  more: { autocomplete: 'off', maxlength: 100, dir: 'auto' },
})}`
}

/** Only where there is a limit. */
function storageUse({
  reader,
  allowance,
}: { reader: Reader } & Pick<UploadForm, 'allowance'>): Html | undefined {
  const { words, language } = reader
  const storage = allowance.limits.find(({ name }) => name === 'SERVICE_MAX_STORAGE')
  if (storage?.value === undefined) return undefined
  const text = words.storageUse(writeSize(language, storage.used), writeSize(language, storage.value))
  return meter({ label: words.storageLabel, used: storage.used, limit: storage.value, text })
}
