import { fillTemplate, type TemplateValues } from '../../../common/own-template.ts'
import type { FileAddresses } from '../../../http/addresses/file-addresses.ts'
import { type Html, html } from '../../../lib/html.ts'
import { fileNameOf, type StoredFile, variantOf } from '../../../media/index.ts'
import type { Words } from '../../../words/en.ts'
import { codeField } from '../../parts/controls.ts'
import type { Reader } from '../../reader.ts'
import { titleOf } from './title.ts'

interface Code {
  label: string
  format: string
  text: string
}

interface Group {
  name: string
  size: string
  codes: readonly Code[]
}

/** Links and snippets to paste elsewhere. They use the short link, whose characters need no escaping in any of them. */
export function embedGroups(
  file: StoredFile,
  addresses: FileAddresses,
  words: Words,
  template = '',
): Group[] {
  const versions = (['frame', 'medium', 'thumb'] as const).flatMap((name) => {
    const variant = variantOf(file, name)
    return variant ? [{ name, url: addresses.urlOf(variant), ...sizeOf(variant) }] : []
  })
  const full = { name: 'full' as const, url: addresses.url, ...sizeOf(file) }
  return [
    {
      name: words.links,
      size: 'full',
      codes: [
        { label: words.codePage, format: 'page', text: addresses.viewer },
        { label: words.codeShort, format: 'short', text: addresses.short },
        { label: words.codeDirect, format: 'link', text: addresses.url },
      ],
    },
    ...[full, ...versions].map((version) => {
      const isVideo = file.type === 'video' && version === full
      return {
        name: groupNames(words)[version.name],
        size: version.name,
        codes: [
          ...(version === full ? [] : [{ label: words.codeDirect, format: 'link', text: version.url }]),
          ...(isVideo ? videoCodes(file, addresses) : pictureCodes(titleOf(file), addresses, version)),
          ...(template === ''
            ? []
            : [
                {
                  label: words.ownTemplate,
                  format: 'own',
                  text: fillTemplate(template, templateValues(file, addresses, version)),
                },
              ]),
        ],
      }
    }),
  ]
}

const groupNames = (words: Words) => ({
  full: words.sizeFull,
  frame: words.sizeFrame,
  medium: words.sizeMedium,
  thumb: words.sizeThumb,
})

interface Version {
  url: string
  width: number
  height: number
}

const sizeOf = ({ width, height }: { width: number; height: number }) => ({ width, height })

/** An input field has one line. */
const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()

const templateValues = (
  file: StoredFile,
  { viewer: page, short }: FileAddresses,
  { url, width, height }: Version,
): TemplateValues => ({
  url,
  page,
  short,
  title: oneLine(titleOf(file)),
  name: fileNameOf(file),
  width: String(width),
  height: String(height),
})

function pictureCodes(title: string, { short }: FileAddresses, { url, width, height }: Version): Code[] {
  const words = oneLine(title)
  return [
    {
      label: 'HTML',
      format: 'html',
      text: html`<a href="${short}"><img src="${url}" alt="${words}" width="${width}" height="${height}"></a>`
        .markup,
    },
    {
      label: 'Markdown',
      format: 'markdown',
      text: `[![${words.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&')}](${url})](${short})`,
    },
    { label: 'BBCode', format: 'bbcode', text: `[url=${short}][img]${url}[/img][/url]` },
  ]
}

/** A player for another site's page, in the given size. */
export function videoPlayer(
  file: StoredFile,
  addresses: FileAddresses,
  size: { width: number; height: number } = file,
): Html {
  const frame = variantOf(file, 'frame')
  const poster = frame && html` poster="${addresses.urlOf(frame)}" preload="none"`
  return html`<video src="${addresses.url}" width="${size.width}" height="${size.height}"${poster} controls></video>`
}

function videoCodes(file: StoredFile, addresses: FileAddresses): Code[] {
  const { short, url } = addresses
  return [
    { label: 'HTML', format: 'html', text: videoPlayer(file, addresses).markup },
    { label: 'Markdown', format: 'markdown', text: `[${short}](${short})` },
    { label: 'BBCode', format: 'bbcode', text: `[video]${url}[/video]` },
  ]
}

export function embedSection(file: StoredFile, addresses: FileAddresses, { words, account }: Reader): Html {
  const groups = embedGroups(file, addresses, words, account?.preferences?.copyTemplate)
  return html`<details class="share">
<summary><h2>${words.codes}</h2></summary>
${groups.map((each, index) => group(each, index, words))}
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
