import { type Html, html } from '../../../lib/html.ts'
import { albumSorts, privacies, type SeenAlbum } from '../../../media/index.ts'
import { conflictPart } from '../../../ui/conflicts.ts'
import { tokenField } from '../../../ui/form.ts'
import { areaField, linkButton, selectField, submitButton, textField } from '../../../ui/parts/controls.ts'
import { banner } from '../../../ui/parts/states.ts'
import { type FormFaults, textsBesides } from '../../../ui/refusal-words.ts'
import type { Words } from '../../../words/en.ts'
import type { PageCall } from '../../page-call.ts'

/** The fields of the form as they were sent, or as the album has them. */
export interface AlbumFields {
  title: string
  description: string
  privacy: string
  parentId: string
  sort: string
  /** The version that the form was written for; empty for a new album. */
  version: string
}

interface AlbumForm {
  fields: AlbumFields
  /** Lines such as `title: must be …`, for each field that was refused. */
  faults: FormFaults
  /** Fields that another person has changed meanwhile, and how they are now. */
  open?: readonly string[]
  theirs?: AlbumFields
  /** Albums that it can be put into. */
  parents: readonly SeenAlbum[]
  /** Caches may keep public bytes for a year. */
  isImmutable: boolean
  /** The words of the button, and the way back. */
  save: string
  back: string
}

export const fieldsOfForm = (form: URLSearchParams): AlbumFields => {
  const text = (name: string) => form.get(name) ?? ''
  return {
    title: text('title'),
    description: text('description').replaceAll('\r\n', '\n'),
    privacy: text('privacy') || 'public',
    parentId: text('parent_id'),
    sort: text('sort') || 'position',
    version: text('version'),
  }
}

export const fieldsOfAlbum = (album: SeenAlbum): AlbumFields => ({
  title: album.title,
  description: album.description ?? '',
  privacy: album.privacy,
  parentId: album.parentId ?? '',
  sort: album.sort,
  version: String(album.version),
})

/** The fields as the API takes them: an empty text clears a field. */
export const bodyOf = (fields: AlbumFields, password: string): Record<string, unknown> => ({
  title: fields.title,
  description: fields.description.trim() === '' ? null : fields.description,
  privacy: fields.privacy,
  parent_id: fields.parentId === '' ? null : fields.parentId,
  sort: fields.sort,
  ...(password !== '' && { password }),
})

export function albumForm(
  { reader }: PageCall,
  { fields, faults, open = [], theirs = fields, parents, isImmutable, save, back }: AlbumForm,
): Html {
  const { words } = reader
  const others = textsBesides(faults, ['title', 'description', 'privacy', 'password', 'parent_id', 'sort'])
  const names: Readonly<Record<string, string>> = words.albumSorts
  const sorts = albumSorts.filter((sort) => Object.hasOwn(names, sort) || sort === fields.sort)
  return html`${others.map((text) => banner(html`${text}`, 'danger'))}
<form method="post" class="ask">${tokenField(reader)}<input name="version" value="${fields.version}" type="hidden">
<input type="text" name="album" value="${fields.title}" autocomplete="username" readonly hidden>
${conflictPart(words, { open, mine: fields, theirs, shown: shownFields(words, parents) })}
${textField({ label: words.albumTitle, name: 'title', value: fields.title, fault: faults.get('title'), more: { maxlength: 200, required: true, dir: 'auto', autocomplete: 'off' } })}
${areaField({ label: words.albumDescription, name: 'description', value: fields.description, fault: faults.get('description'), more: { rows: 3, dir: 'auto' } })}
${selectField({ label: words.albumPrivacy, name: 'privacy', value: fields.privacy, fault: faults.get('privacy'), hint: isImmutable ? words.cachesYear : words.cachesMinutes, options: privacies.map((each) => [each, words.privacies[each]] as const) })}
${textField({ label: words.albumPassword, name: 'password', fault: faults.get('password'), hint: fields.version === '' ? words.albumPasswordHintNew : words.albumPasswordHint, more: { type: 'password', autocomplete: 'new-password' } })}
${selectField({ label: words.albumParent, name: 'parent_id', value: fields.parentId, fault: faults.get('parent_id'), options: [['', words.albumNoParent], ...parents.map(({ id, title }) => [id, title] as const)] })}
${selectField({ label: words.albumSort, name: 'sort', value: fields.sort, fault: faults.get('sort'), options: sorts.map((sort) => [sort, names[sort] ?? sort] as const) })}
<p class="actions">${submitButton(save)}${linkButton(words.cancel, back, { look: 'plain' })}</p>
</form>`
}

/** As a conflict shows them. */
function shownFields(words: Words, parents: readonly SeenAlbum[]) {
  const [privacyNames, sortNames]: Readonly<Record<string, string>>[] = [words.privacies, words.albumSorts]
  const parentOf = (id: string) => parents.find((album) => album.id === id)?.title ?? id
  return {
    title: [words.albumTitle],
    description: [words.albumDescription],
    privacy: [words.albumPrivacy, (privacy: string) => privacyNames?.[privacy] ?? privacy],
    parentId: [words.albumParent, parentOf],
    sort: [words.albumSort, (sort: string) => sortNames?.[sort] ?? sort],
  } as const
}
