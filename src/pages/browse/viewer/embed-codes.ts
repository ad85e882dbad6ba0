import {
  type CodeFormat,
  type EmbeddedFile,
  type EmbeddedVersion,
  embedCode,
  shownVersion,
} from '../../../common/embed-codes.ts'
import type { FileAddresses } from '../../../http/addresses/file-addresses.ts'
import { srcsetOf } from '../../../http/addresses/picture-sources.ts'
import { attributes, type Html, html } from '../../../lib/html.ts'
import { fileNameOf, type Preset, presetSize, type StoredFile, variantOf } from '../../../media/index.ts'
import { codeField } from '../../../ui/parts/controls.ts'
import type { Reader } from '../../../ui/reader.ts'
import type { Words } from '../../../words/en.ts'
import { titleOf } from './title.ts'

interface Code {
  label: string
  format: string
  text: string
}

interface Group {
  name: string
  isPreset?: true
  size: string
  codes: readonly Code[]
}

interface Embedding {
  /** Of the user. */
  template?: string | undefined
  /** Of the site, by name. */
  presets?: readonly Preset[]
}

/** More would fill the page of a file. */
const mostPresetGroups = 10

/** Links and snippets to paste elsewhere, for each version of a file and for presets of the site. */
export function embedGroups(
  file: StoredFile,
  addresses: FileAddresses,
  words: Words,
  { template = '', presets = [] }: Embedding = {},
): Group[] {
  const embedded = embeddedFile(file, addresses)
  const smaller = (['frame', 'medium', 'thumb'] as const).flatMap((name) => {
    const variant = variantOf(file, name)
    return variant ? [{ name, version: { ...variant, url: addresses.urlOf(variant) } }] : []
  })
  const byPreset = presets.slice(0, mostPresetGroups).flatMap(({ name, options }) => {
    const [size, url] = [presetSize(file, options), addresses.byPreset?.(name)]
    return size && url !== undefined ? [{ name, version: { ...size, url } }] : []
  })
  const codeOf = (label: string, format: CodeFormat, version?: EmbeddedVersion): Code => ({
    label,
    format,
    text: embedCode(embedded, format, { ...(version && { version }), template }),
  })
  const ofSize = (name: string, size: string, version?: EmbeddedVersion): Group => ({
    name,
    size,
    codes: [
      ...(version ? [codeOf(words.codeDirect, 'link', version)] : []),
      codeOf('HTML', 'html', version),
      codeOf('Markdown', 'markdown', version),
      codeOf('BBCode', 'bbcode', version),
      ...(template === '' ? [] : [codeOf(words.ownTemplate, 'own', version)]),
    ],
  })
  const links = {
    name: words.links,
    size: 'full',
    codes: [
      codeOf(words.codePage, 'page'),
      codeOf(words.codeShort, 'short'),
      codeOf(words.codeDirect, 'link'),
    ],
  }
  return [
    links,
    ofSize(words.sizeFull, 'full'),
    ...smaller.map(({ name, version }) => ofSize(groupNames(words)[name], name, version)),
    ...byPreset.map(({ name, version }): Group => {
      const label = words.presetNamed(name, `${version.width} × ${version.height}`)
      return { ...ofSize(label, `preset ${name}`, version), isPreset: true }
    }),
  ]
}

const groupNames = (words: Words) => ({
  frame: words.sizeFrame,
  medium: words.sizeMedium,
  thumb: words.sizeThumb,
})

export function embeddedFile(file: StoredFile, addresses: FileAddresses): EmbeddedFile {
  const { type, width, height, mime } = file
  const { url, viewer: page, short } = addresses
  const frame = variantOf(file, 'frame')
  const poster = frame && addresses.urlOf(frame)
  const own = { type, width, height, url, page, short, poster }
  const shown = shownVersion({ url, width, height, mime }, () =>
    srcsetOf(file, addresses, { mayBeWhole: true }),
  )
  return { ...own, title: titleOf(file), name: fileNameOf(file), shown }
}

/** Of the field with the address of the page. */
export const pageCodeId = 'code-0-0'

/** In the query of a file's page. Ten presets would double the page of every file, so their codes are shown on request. */
export const presetCodes = { name: 'codes', value: 'presets' } as const

interface Embedded {
  file: StoredFile
  addresses: FileAddresses
  presets: readonly Preset[]
  /** In place of the codes in the usual sizes. */
  hasPresetCodes: boolean
}

export function embedSection(embedded: Embedded, { words, account }: Reader): Html {
  const { file, addresses, presets, hasPresetCodes } = embedded
  const template = account?.preferences?.copyTemplate
  const [links, ...sizes] = embedGroups(file, addresses, words, { template, presets })
  const byPreset = sizes.filter(({ isPreset }) => isPreset)
  const usual = sizes.filter(({ isPreset }) => !isPreset)
  const groups = [...(links ? [links] : []), ...(hasPresetCodes ? byPreset : usual)]
  const other = hasPresetCodes ? addresses.viewerPath : `?${presetCodes.name}=${presetCodes.value}`
  const label = hasPresetCodes ? words.codesUsual : words.codesOfPresets
  return html`<details class="share" id="codes"${attributes({ open: hasPresetCodes })}>
<summary><h2>${words.codes}</h2></summary>
${groups.map((each, index) => group(each, index, words))}
${byPreset.length > 0 ? html`<p class="small"><a href="${other}#codes" rel="nofollow">${label}</a></p>` : undefined}
</details>`
}

function group({ name, size, codes }: Group, index: number, words: Words): Html {
  const fields = codes.map(({ label, format, text }, row) =>
    codeField({
      id: `code-${index}-${row}`,
      label,
      text,
      copy: { label: words.copy, name: words.copyNamed(name, label) },
      more: { 'data-format': format, 'data-size': size },
    }),
  )
  return html`<fieldset><legend>${name}</legend>
${fields}
</fieldset>`
}
