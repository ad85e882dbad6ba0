import { type Html, html } from '../../../lib/html.ts'
import { expirations, type UploadChoices } from '../../../media/index.ts'
import { selectField, tagsField, textField } from '../../../ui/parts/controls.ts'
import type { Reader } from '../../../ui/reader.ts'
import { type FormFaults, noFaults } from '../../../ui/refusal-words.ts'
import { writeDuration } from '../../../words/format.ts'

/** Changes of selected files that ask for values. */
export const fieldedActions = ['move', 'tags', 'edit'] as const
export type FieldedAction = (typeof fieldedActions)[number]

interface Fields {
  action: FieldedAction
  choices: UploadChoices
  reader: Reader
  /** What was sent, and what is wrong with it. */
  given?: URLSearchParams | undefined
  faults?: FormFaults | undefined
}

/** The value of a choice that changes nothing. */
const keep = 'keep'
const none = 'none'
/** Of more albums a person finds one by typing. */
const mostSeen = 1

/** In the dialogs of a list, and on the page that takes their place without script. */
export function changeFields({ action, choices, reader, given, faults = noFaults }: Fields): Html {
  const { words, language } = reader
  const named = (name: string) => ({
    name,
    id: `${action}-${name}`,
    value: given?.get(name) ?? '',
    fault: faults.get(name),
  })
  if (action === 'move')
    return html`${choices.albums.length > mostSeen ? html`<div data-find hidden>${textField({ label: words.moveFind, ...named('find'), more: { type: 'search', autocomplete: 'off', dir: 'auto' } })}</div>` : undefined}
${selectField({
  label: words.fileAlbum,
  ...named('album_id'),
  options: [
    [none, words.fileNoAlbum],
    ...choices.albums.map(({ id: value, title }) => [value, title] as const),
  ],
})}
${textField({ label: words.optionNewAlbum, ...named('new_album'), more: { autocomplete: 'off', maxlength: 100, dir: 'auto' } })}`
  if (action === 'tags')
    return html`${tagsField({ label: words.tagsAdd, ...named('add_tags'), hint: words.fileTagsHint, more: { dir: 'auto' } })}
${tagsField({ label: words.tagsRemove, ...named('remove_tags'), more: { dir: 'auto' } })}`
  const kept = [keep, words.editKeep] as const
  return html`${selectField({
    label: words.optionCategory,
    ...named('category_id'),
    options: [
      kept,
      [none, words.optionNoCategory],
      ...choices.categories.map(({ id: value, name }) => [String(value), name] as const),
    ],
  })}
${selectField({
  label: words.editNsfw,
  ...named('is_nsfw'),
  options: [kept, ['0', words.editIsSafe], ['1', words.editIsNsfw]],
})}
${selectField({
  label: words.optionExpiration,
  ...named('expiration'),
  options: [
    kept,
    [none, words.optionNever],
    ...expirations.map((each) => [each, writeDuration(language, each)] as const),
  ],
})}`
}

/** The fields as `POST /api/5/files/bulk` takes them in `set`; empty if nothing is to be changed. */
export function changesOf(form: URLSearchParams, endOf: (duration: string) => Date): Record<string, unknown> {
  const chosen = (name: string) => {
    const value = form.get(name) ?? keep
    return value === keep ? undefined : value
  }
  const tags = (name: string) =>
    (form.get(name) ?? '')
      .split(',')
      .map((tag) => tag.trim())
      .filter((tag) => tag !== '')
  const [album, category, nsfw, end] = ['album_id', 'category_id', 'is_nsfw', 'expiration'].map(chosen)
  const [added, removed] = [tags('add_tags'), tags('remove_tags')]
  return {
    ...(album !== undefined && { album_id: album === none ? null : album }),
    ...(category !== undefined && { category_id: category === none ? null : Number(category) }),
    ...(nsfw !== undefined && { is_nsfw: nsfw === '1' }),
    ...(end !== undefined && { expires_at: end === none ? null : endOf(end).toISOString() }),
    ...(added.length > 0 && { add_tags: added }),
    ...(removed.length > 0 && { remove_tags: removed }),
  }
}
