import type { UploadData } from '../../common/upload-wire.ts'
import { attributes, dataBlock, type Html, html } from '../../lib/html.ts'
import { type Allowance, bindingStorage, expirations, type UploadChoices } from '../../media/index.ts'
import { tokenField } from '../../ui/form.ts'
import type { PageKey } from '../../ui/keys.ts'
import { checkField, selectField, submitButton, tagsField, textField } from '../../ui/parts/controls.ts'
import { icon } from '../../ui/parts/icon.ts'
import { banner, meter } from '../../ui/parts/states.ts'
import type { Reader } from '../../ui/reader.ts'
import { type FormFaults, noFaults, textsBesides } from '../../ui/refusal-words.ts'
import { writeDuration, writeNumber, writeSize } from '../../words/format.ts'
import { writePage } from '../frame.ts'
import { mostPlainBytes, mostPlainFiles } from '../read-plain-form.ts'

/** What the upload page shows. */
export interface UploadForm {
  siteName: string
  reader: Reader
  data: UploadData
  choices: UploadChoices
  allowance: Allowance
  /** How much more a member may store; undefined for guests, and if nothing bounds it. */
  leftBytes?: number | undefined
  isMember: boolean
  /** The options show the album that the files go into. */
  isUnfolded?: boolean
  /** The texts of a form that was refused. */
  given?: ReadonlyMap<string, string>
  /** Why it was refused, by its fields. */
  faults?: FormFaults
  /** Why its files were, each with its name. */
  fileFaults?: readonly string[]
}

/** Drop zone, options and queue. Without script it is a plain form. */
export function uploadPage(form: UploadForm): string {
  const { siteName, reader, data } = form
  const { words } = reader
  return writePage({
    siteName,
    title: `${words.upload} - ${siteName}`,
    reader,
    isPlain: true,
    styles: ['upload.css'],
    keys: keysOf(form),
    body: html`<div class="upload" data-island="upload" data-not-a-link="${words.notALink}">
<form method="post" action="/upload" enctype="multipart/form-data">
${tokenField(reader)}
${dropZone(form)}
${optionFields(form)}
${sendButton(form)}
</form>
<section class="queue" aria-label="${words.queue.uploads}"></section>
${dataBlock(data)}
</div>`,
  })
}

function dropZone(form: UploadForm): Html {
  const { reader, data, allowance, fileFaults = [] } = form
  const { words } = reader
  const accept = acceptOf(allowance)
  const [most, kinds] = [writeSize(reader.language, data.mostBytes), kindsOf(allowance)]
  const file = (label: string, name: Parameters<typeof icon>[0], more: Parameters<typeof attributes>[0]) =>
    html`<label class="button${name === 'upload' ? undefined : ' plain'}">${icon(name)}<span>${label}</span><input${attributes({ type: 'file', name: 'source', ...more })}></label>`
  return html`<div class="drop-zone">
<h1 class="hero"><span class="if-script if-wide">${words.uploadTitle}</span><span class="if-script if-narrow">${words.uploadTitleNarrow}</span><span class="if-plain">${words.uploadTitlePlain}</span></h1>
<p class="soft"><span class="if-script if-wide">${data.hasUrls ? words.uploadHow : words.uploadHowWithoutLinks} </span>${words.uploadText(most, kinds)}</p>
${form.leftBytes === undefined ? undefined : html`<p class="soft storage-left">${form.leftBytes > 0 ? words.storageLeft(writeSize(reader.language, form.leftBytes)) : words.storageFull}</p>`}
${faultsOfForm(form).map((fault) => banner(html`<p>${fault}</p>`, 'danger'))}
<div class="actions">${file(words.chooseFiles, 'upload', { accept, multiple: true, ...(fileFaults.length > 0 && { 'aria-invalid': 'true', 'aria-describedby': 'source-fault' }) })}
<span class="if-script if-wide">${file(words.chooseFolder, 'folder', { webkitdirectory: true, multiple: true })}</span>
<span class="if-script if-touch">${file(words.takePicture, 'picture', { accept: 'image/*', capture: 'environment' })}</span>
${data.hasUrls ? linkField(form) : undefined}</div>
${fileFaults.length === 0 ? undefined : html`<div class="field" id="source-fault" role="alert">${fileFaults.map(faultLine)}</div>`}
</div>`
}

/** Unfolded by the browser, so that it works without script. */
function linkField({ reader: { words }, given, faults }: UploadForm): Html {
  const [value, fault] = [given?.get('url') ?? '', faults?.get('url')]
  const notes = fault !== undefined && {
    'aria-invalid': 'true',
    'aria-describedby': 'url-fault',
    autofocus: true,
  }
  return html`<details class="from-link"${attributes({ open: value !== '' })}><summary class="button plain">${icon('link')}${words.fromLink}</summary>
<div class="link-row"><label class="only-read" for="url">${words.linkLabel}</label><input${attributes({ class: 'input', id: 'url', name: 'url', type: 'url', placeholder: 'https://', value, autocomplete: 'off', spellcheck: 'false', ...notes })}>${submitButton(words.linkAdd, { look: 'plain' })}</div>
${fault === undefined ? undefined : html`<div class="field" id="url-fault" role="alert">${faultLine(fault)}</div>`}</details>`
}

const faultLine = (fault: string): Html =>
  html`<p class="fault">${icon('warning')}<span dir="auto">${fault}</span></p>`

const shownFields = ['url', 'title', 'tags', 'album_id', 'new_album', 'category_id', 'expiration']

/** What none of the fields shows. */
const faultsOfForm = ({ data, isMember, faults = noFaults }: UploadForm): string[] =>
  textsBesides(
    faults,
    shownFields.filter((name) => (data.hasUrls || name !== 'url') && (isMember || !name.includes('album'))),
  )

/** Hidden where scripts run: files go into the queue as they are chosen. */
function sendButton({ reader, data }: UploadForm): Html {
  const { words, language } = reader
  const most = words.uploadPlainMost(
    writeNumber(language, mostPlainFiles),
    writeSize(language, mostPlainBytes(data.mostBytes)),
  )
  return html`<div class="plain-send" data-plain>${submitButton(words.uploadSend, { icon: 'upload' })}<p class="soft small">${most}</p></div>`
}

const acceptOf = ({ kinds }: Allowance): string =>
  [
    ...new Set(kinds.flatMap(({ mime, extensions }) => [mime, ...extensions.map((each) => `.${each}`)])),
  ].join()

/** As their makers write them. */
const kindNames: Readonly<Record<string, string>> = { webp: 'WebP', webm: 'WebM' }

const kindsOf = ({ kinds }: Allowance): string =>
  [...new Set(kinds.map(({ name }) => kindNames[name] ?? name.toUpperCase()))].join(', ')

const keysOf = ({ reader: { words }, data }: UploadForm): PageKey[] => [
  { key: 'Ctrl V', does: data.hasUrls ? words.keyPaste : words.keyPasteWithoutLinks },
  { key: 'r', does: words.keyRetry },
  { key: 'Shift C', does: words.keyCopyAll },
]

/** What all files of the form get. On phones it is folded. */
function optionFields(form: UploadForm): Html {
  const { reader, choices, isMember } = form
  const { words, language } = reader
  const value = (name: string) => (form.given ? form.given.get(name) : form.data.defaults[name]) ?? ''
  const fault = (name: string) => form.faults?.get(name)
  const texts = { autocomplete: 'off' }
  // On phones they are folded, unless there is something to see.
  const isOpen = form.given !== undefined || form.isUnfolded
  return html`<aside class="options" aria-labelledby="for-all">
<h2 id="for-all">${words.forAll}</h2>
<details${attributes({ open: isOpen })}><summary>${words.forAll}</summary>
<div class="stack">
${textField({ label: words.optionTitle, name: 'title', value: value('title'), fault: fault('title'), more: { ...texts, maxlength: 100, dir: 'auto' } })}
${tagsField({ label: words.optionTags, name: 'tags', value: value('tags'), fault: fault('tags'), hint: words.optionTagsHint, more: { ...texts, maxlength: 1_000, dir: 'auto' } })}
${isMember ? albumFields(form, value) : undefined}
${
  choices.categories.length === 0
    ? undefined
    : selectField({
        label: words.optionCategory,
        name: 'category_id',
        value: value('category_id'),
        fault: fault('category_id'),
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
  fault: fault('expiration'),
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

function albumFields({ reader, choices, faults }: UploadForm, value: (name: string) => string): Html {
  const { words } = reader
  return html`${selectField({
    label: words.optionAlbum,
    name: 'album_id',
    value: value('album_id'),
    fault: faults?.get('album_id'),
    options: [['', words.optionNoAlbum], ...choices.albums.map(({ id, title }) => [id, title] as const)],
  })}
${textField({
  label: words.optionNewAlbum,
  name: 'new_album',
  value: value('new_album'),
  fault: faults?.get('new_album'),
  more: { autocomplete: 'off', maxlength: 100, dir: 'auto' },
})}`
}

/** Only where there is a limit. */
function storageUse({
  reader,
  allowance,
}: { reader: Reader } & Pick<UploadForm, 'allowance'>): Html | undefined {
  const { words, language } = reader
  const storage = bindingStorage(allowance)
  if (storage?.value === undefined) return undefined
  const use = words[storage.name === 'SERVICE_MAX_STORAGE' ? 'storageUse' : 'ownStorageUse']
  const text = use(writeSize(language, storage.used), writeSize(language, storage.value))
  return meter({ label: words.storageLabel, used: storage.used, limit: storage.value, text })
}
