import { type Html, html } from '../../../lib/html.ts'
import type { SeenAlbum, StoredFile } from '../../../media/index.ts'
import { conflictPart } from '../../../ui/conflicts.ts'
import { tokenField } from '../../../ui/form.ts'
import {
  areaField,
  checkField,
  selectField,
  submitButton,
  tagsField,
  textField,
} from '../../../ui/parts/controls.ts'
import { banner } from '../../../ui/parts/states.ts'
import type { Reader } from '../../../ui/reader.ts'
import { type FormFaults, textsBesides } from '../../../ui/refusal-words.ts'
import type { Words } from '../../../words/en.ts'

/** What the owner of a file changes on its page. */
export interface FileFields {
  title: string
  description: string
  /** Separated by commas. */
  tags: string
  albumId: string
  isNsfw: boolean
  isPrivate: boolean
  /** The version that the form was written for. */
  version: string
}

interface FileForm {
  fields: FileFields
  /** Lines such as `title: must be …`, for each field that was refused. */
  faults: FormFaults
  /** Fields that another person has changed meanwhile, and how they are now. */
  open?: readonly string[]
  theirs?: FileFields
  albums: readonly SeenAlbum[]
  /** Of the file's page. */
  path: string
  hasTrash: boolean
  /** Caches may keep public bytes for a year. */
  isImmutable: boolean
  reader: Reader
}

export const fieldsOfFile = (file: StoredFile, tags: readonly string[]): FileFields => ({
  title: file.title ?? '',
  description: file.description ?? '',
  tags: tags.join(', '),
  albumId: file.albumId ?? '',
  isNsfw: file.isNsfw,
  isPrivate: file.isPrivate,
  version: String(file.version),
})

export function fieldsOfForm(form: URLSearchParams): FileFields {
  const text = (name: string) => form.get(name) ?? ''
  return {
    title: text('title'),
    description: text('description').replaceAll('\r\n', '\n'),
    tags: text('tags'),
    albumId: text('album_id'),
    version: text('version'),
    isNsfw: form.has('is_nsfw'),
    isPrivate: form.has('is_private'),
  }
}

/** The fields as the API takes them: an empty text clears a field. */
export const bodyOf = (fields: FileFields): Record<string, unknown> => ({
  title: fields.title.trim() === '' ? null : fields.title,
  description: fields.description.trim() === '' ? null : fields.description,
  tags: fields.tags
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== ''),
  album_id: fields.albumId === '' ? null : fields.albumId,
  is_nsfw: fields.isNsfw,
  is_private: fields.isPrivate,
})

export function fileForm(form: FileForm): Html {
  const { fields, faults, open = [], theirs = fields, albums, path, hasTrash, isImmutable, reader } = form
  const { words } = reader
  const others = textsBesides(faults, ['title', 'description', 'tags', 'album_id'])
  const choices = [['', words.fileNoAlbum], ...albums.map(({ id, title }) => [id, title] as const)] as const
  return html`${others.map((text) => banner(html`${text}`, 'danger'))}
<form method="post" action="${path}/edit" class="ask">${tokenField(reader)}<input name="version" value="${fields.version}" type="hidden">
${conflictPart(words, { open, mine: fields, theirs, shown: shownFields(words, choices) })}
${textField({ label: words.fileTitle, name: 'title', value: fields.title, fault: faults.get('title'), more: { dir: 'auto' } })}
${areaField({ label: words.fileDescription, name: 'description', value: fields.description, fault: faults.get('description'), more: { rows: 3, dir: 'auto' } })}
${tagsField({ label: words.fileTags, name: 'tags', value: fields.tags, hint: words.fileTagsHint, fault: faults.get('tags') })}
${selectField({ label: words.fileAlbum, name: 'album_id', value: fields.albumId, options: choices, fault: faults.get('album_id') })}
${checkField({ label: words.fileNsfw, name: 'is_nsfw', isOn: fields.isNsfw })}
${checkField({ label: words.filePrivate, name: 'is_private', isOn: fields.isPrivate })}
<p class="hint">${isImmutable ? words.cachesYear : words.cachesMinutes}</p>
<div class="actions">${submitButton(words.fileSave)}${
    hasTrash
      ? submitButton(words.fileTrash, {
          look: 'plain',
          icon: 'delete',
          more: { formaction: `${path}/trash`, formnovalidate: true, 'aria-keyshortcuts': 'Delete' },
        })
      : undefined
  }</div>
</form>`
}

/** As a conflict shows them. */
function shownFields(words: Words, albums: readonly (readonly [id: string, title: string])[]) {
  const onOff = (isOn: boolean) => (isOn ? words.switchOn : words.switchOff)
  return {
    title: [words.fileTitle],
    description: [words.fileDescription],
    tags: [words.fileTags],
    albumId: [words.fileAlbum, (id: string) => albums.find(([each]) => each === id)?.[1] ?? id],
    isNsfw: [words.fileNsfw, onOff],
    isPrivate: [words.filePrivate, onOff],
  } as const
}
