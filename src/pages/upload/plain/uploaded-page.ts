import { type Html, href, html } from '../../../lib/html.ts'
import { type Preset, variantOf } from '../../../media/index.ts'
import { areaField, codeField, linkButton } from '../../../ui/parts/controls.ts'
import { banner } from '../../../ui/parts/states.ts'
import type { Reader } from '../../../ui/reader.ts'
import { refusalText } from '../../../ui/refusal-words.ts'
import { writeCount } from '../../../words/format.ts'
import { embedGroups } from '../../browse/viewer/embed-codes.ts'
import { titleOf } from '../../browse/viewer/title.ts'
import { writePage } from '../../frame.ts'
import type { PlainResult } from './store-plain-form.ts'

type Stored = Extract<PlainResult, { uploaded: unknown }>

interface Answer {
  siteName: string
  reader: Reader
  results: readonly PlainResult[]
  isGuest: boolean
  /** Of the site, for links and snippets. */
  presets: readonly Preset[]
}

/** What became of a form: each file with its links, or why it was refused. */
export function uploadedPage({ siteName, reader, results, isGuest, presets }: Answer): string {
  const { words, language } = reader
  const stored = results.filter((each): each is Stored => 'uploaded' in each)
  const title = writeCount(language, words.uploadedTitle, stored.length)
  const hasDeleteLinks = isGuest && stored.some(({ uploaded }) => uploaded.deleteToken !== undefined)
  return writePage({
    siteName,
    title: `${title} - ${siteName}`,
    head: html`<meta name="robots" content="noindex">`,
    reader,
    isPlain: true,
    styles: ['upload.css'],
    body: html`<div class="page uploaded">
<h1>${title}</h1>
${hasDeleteLinks ? banner(html`<p>${words.deleteLinkAdvice}</p>`, 'warn') : undefined}
${results.map((each, index) => ('uploaded' in each ? storedFile(each, { index, reader, isGuest, presets }) : refusedFile(each, reader)))}
${stored.length > 1 ? allCodes(stored, reader) : undefined}
<p>${linkButton(words.uploadedMore, '/upload', { icon: 'upload' })}</p>
</div>`,
  })
}

interface Place {
  index: number
  reader: Reader
  isGuest: boolean
  presets: readonly Preset[]
}

function storedFile({ uploaded, addresses }: Stored, { index, reader, isGuest, presets }: Place): Html {
  const { words } = reader
  const { file, deleteToken } = uploaded
  const picture = variantOf(file, 'thumb') ?? variantOf(file, 'frame')
  const code = (row: number | string, label: string, text: string, group: string) =>
    codeField({
      id: `code-${index}-${row}`,
      label,
      text,
      copy: { label: words.copy, name: words.copyNamed(group, label) },
    })
  const [links, ...more] = embedGroups(file, addresses, words, { presets })
  const name = titleOf(file)
  return html`<section class="uploaded-file" aria-labelledby="file-${index}">
${picture && html`<img src="${addresses.urlOf(picture)}" alt="" width="${picture.width}" height="${picture.height}">`}
<div>
<h2 id="file-${index}" dir="auto"><a href="${href(addresses.viewer)}">${name}</a></h2>
${links?.codes.map(({ label, text }, row) => code(row, label, text, name))}
${isGuest && deleteToken !== undefined ? code('delete', words.deleteLink, addresses.deletion(deleteToken), name) : undefined}
<details><summary>${words.codes}</summary>
${more.map(
  (group, place) =>
    html`<fieldset><legend>${group.name}</legend>${group.codes.map(({ label, text }, row) => code(`${place}-${row}`, label, text, group.name))}</fieldset>`,
)}
</details>
</div>
</section>`
}

const refusedFile = ({ name, refusal }: Extract<PlainResult, { refusal: unknown }>, reader: Reader): Html =>
  banner(
    html`<p>${reader.words.uploadedRefused}: <bdi>${name}</bdi></p><p>${refusalText(reader, refusal)}</p>`,
    'danger',
  )

/** Of several files: one field for each format, one line for each file. */
function allCodes(stored: readonly Stored[], { words }: Reader): Html {
  const groups = stored.map(({ uploaded, addresses }) => embedGroups(uploaded.file, addresses, words))
  const labels = ['link', 'page', 'markdown', 'html', 'bbcode']
  const fields = labels.flatMap((format) => {
    const codes = groups.map((each) =>
      each.flatMap(({ codes: list }) => list).find((code) => code.format === format),
    )
    const [first] = codes
    if (!first) return []
    return [
      areaField({
        label: first.label,
        name: `all-${format}`,
        hint: words.uploadedLine,
        value: codes.map((code) => code?.text ?? '').join('\n'),
        more: { readonly: true, rows: Math.min(8, stored.length), spellcheck: 'false', wrap: 'off' },
      }),
    ]
  })
  return html`<section class="stack" aria-labelledby="all-codes"><h2 id="all-codes">${words.uploadedAll}</h2>${fields}</section>`
}
