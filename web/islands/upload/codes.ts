import type { UploadedFile, UploadedVersion } from '../../../src/common/wire.ts'
import { fillTemplate } from './own-template.ts'

export type Format = 'link' | 'page' | 'markdown' | 'html' | 'bbcode' | 'own'
export type Size = 'full' | 'medium' | 'thumb'

/** The codes of the viewer's page; `test/pages/upload-browser.test.ts` compares them. A size that a file lacks is the next larger one. */
export function codeOf(file: UploadedFile, format: Format, size: Size): string {
  const version = versionOf(file, size)
  const isPlayer = file.type === 'video' && version === file
  const { url_short: short } = file
  if (format === 'link') return version.url
  if (format === 'page') return file.url_viewer
  if (format === 'bbcode')
    return isPlayer ? `[video]${file.url}[/video]` : `[url=${short}][img]${version.url}[/img][/url]`
  const title = titleOf(file)
    .replaceAll(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  if (format === 'own') return fillTemplate(ownTemplate(), valuesOf(file, version, title))
  if (format === 'markdown')
    return isPlayer
      ? `[${short}](${short})`
      : `[![${title.replaceAll(/[!-/:-@[-`{-~]/g, '\\$&')}](${version.url})](${short})`
  return isPlayer ? playerOf(file) : pictureOf(short, version, title)
}

/** Of the account; empty if there is none. */
export const ownTemplate = (): string => document.body.dataset.template ?? ''

const valuesOf = (
  { url_viewer: page, url_short: short, filename: name }: UploadedFile,
  { url, width, height }: UploadedVersion,
  title: string,
) => ({ url, page, short, title, name, width: String(width), height: String(height) })

const titleOf = ({ title, filename }: UploadedFile) => (title && /[^\s\p{C}]/u.test(title) ? title : filename)

function versionOf(file: UploadedFile, size: Size): UploadedVersion {
  const { thumb, medium, frame } = file.versions
  if (size === 'thumb' && thumb) return thumb
  return (size === 'full' ? undefined : (medium ?? frame)) ?? file
}

const pictureOf = (short: string, { url, width, height }: UploadedVersion, title: string) =>
  `<a href="${escaped(short)}"><img src="${escaped(url)}" alt="${escaped(title)}" width="${width}" height="${height}"></a>`

function playerOf({ url, width, height, versions: { frame } }: UploadedFile): string {
  const poster = frame ? ` poster="${escaped(frame.url)}" preload="none"` : ''
  return `<video src="${escaped(url)}" width="${width}" height="${height}"${poster} controls></video>`
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (character) => escapes[character] ?? '')
