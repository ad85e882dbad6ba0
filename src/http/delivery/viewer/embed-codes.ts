import { type StoredFile, variantOf } from '../../../media/index.ts'
import type { FileAddresses } from '../../file-addresses.ts'
import { type Html, html } from '../../html.ts'
import { titleOf } from './title.ts'

interface Code {
  label: string
  text: string
}

interface Group {
  name: string
  codes: readonly Code[]
}

/** Links and snippets to paste elsewhere. The short address is used, since nothing in it means anything anywhere. */
export function embedGroups(file: StoredFile, addresses: FileAddresses): Group[] {
  const versions = (['frame', 'medium', 'thumb'] as const).flatMap((name) => {
    const variant = variantOf(file, name)
    return variant ? [{ name, url: addresses.urlOf(variant), ...sizeOf(variant) }] : []
  })
  const full = { name: 'full', url: addresses.url, ...sizeOf(file) }
  return [
    {
      name: 'Links',
      codes: [
        { label: 'Page', text: addresses.viewer },
        { label: 'Short link', text: addresses.short },
        { label: 'Direct link', text: addresses.url },
      ],
    },
    ...[full, ...versions].map((version) => {
      const isFilm = file.type === 'video' && version === full
      return {
        name: groupNames[version.name] ?? version.name,
        codes: isFilm ? filmCodes(file, addresses) : pictureCodes(titleOf(file), addresses, version),
      }
    }),
  ]
}

const groupNames: Readonly<Record<string, string>> = {
  full: 'Full size',
  frame: 'Frame',
  medium: 'Medium',
  thumb: 'Thumbnail',
}

interface Version {
  url: string
  width: number
  height: number
}

const sizeOf = ({ width, height }: { width: number; height: number }) => ({ width, height })

function pictureCodes(title: string, { short }: FileAddresses, { url, width, height }: Version): Code[] {
  // A field has one line, and so has what is pasted from it.
  const words = title.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()
  return [
    {
      label: 'HTML',
      text: html`<a href="${short}"><img src="${url}" alt="${words}" width="${width}" height="${height}"></a>`
        .markup,
    },
    { label: 'Markdown', text: `[![${words.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&')}](${url})](${short})` },
    { label: 'BBCode', text: `[url=${short}][img]${url}[/img][/url]` },
  ]
}

/** A player for a page elsewhere, no larger than is asked for. */
export function filmPlayer(
  file: StoredFile,
  addresses: FileAddresses,
  size: { width: number; height: number } = file,
): Html {
  const frame = variantOf(file, 'frame')
  const poster = frame && html` poster="${addresses.urlOf(frame)}" preload="none"`
  return html`<video src="${addresses.url}" width="${size.width}" height="${size.height}"${poster} controls></video>`
}

function filmCodes(file: StoredFile, addresses: FileAddresses): Code[] {
  const { short, url } = addresses
  return [
    { label: 'HTML', text: filmPlayer(file, addresses).markup },
    { label: 'Markdown', text: `[${short}](${short})` },
    { label: 'BBCode', text: `[video]${url}[/video]` },
  ]
}

export function embedSection(file: StoredFile, addresses: FileAddresses): Html {
  return html`<details class="share">
<summary><h2>Links and embed codes</h2></summary>
${embedGroups(file, addresses).map(group)}
<p class="told" role="status"></p>
</details>`
}

function group({ name, codes }: Group, place: number): Html {
  return html`<fieldset><legend>${name}</legend>
${codes.map(({ label, text }, row) => {
  const id = `code-${place}-${row}`
  return html`<div class="code"><label for="${id}">${label}</label><input id="${id}" readonly spellcheck="false" value="${text}"><button type="button" hidden aria-label="Copy: ${name}, ${label}">Copy</button></div>`
})}
</fieldset>`
}
