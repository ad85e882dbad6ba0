import { fillTemplate } from './own-template.ts'
import { escapeHtml, escapeMarkdown, oneLine } from './texts.ts'

export type CodeFormat = 'link' | 'page' | 'short' | 'html' | 'markdown' | 'bbcode' | 'own'

/** The file itself, or a smaller version of it. */
export interface EmbeddedVersion {
  url: string
  width: number
  height: number
}

export interface EmbeddedFile extends EmbeddedVersion {
  type: 'image' | 'video'
  /** The address of its page, and the short one. */
  page: string
  short: string
  title: string
  name: string
  /** A frame of a video. */
  poster: string | undefined
}

/**
 * A link or a snippet to paste elsewhere, of the file itself unless a version is given. Snippets use the short link, whose
 * characters need no escaping in any of them. `own` is the template of the user.
 */
export function embedCode(
  file: EmbeddedFile,
  format: CodeFormat,
  { version = file, template = '' }: { version?: EmbeddedVersion; template?: string } = {},
): string {
  const { page, short, name } = file
  const { url, width, height } = version
  if (format === 'link') return url
  if (format === 'page') return page
  if (format === 'short') return short
  const title = oneLine(file.title)
  if (format === 'own')
    return fillTemplate(template, {
      url,
      page,
      short,
      title,
      name,
      width: String(width),
      height: String(height),
    })
  const isPlayer = file.type === 'video' && version === file
  if (format === 'bbcode') return isPlayer ? `[video]${url}[/video]` : `[url=${short}][img]${url}[/img][/url]`
  if (format === 'markdown')
    return isPlayer ? `[${short}](${short})` : `[![${escapeMarkdown(title)}](${url})](${short})`
  return isPlayer
    ? videoPlayer(file)
    : `<a href="${escapeHtml(short)}"><img src="${escapeHtml(url)}" alt="${escapeHtml(title)}" width="${width}" height="${height}"></a>`
}

/** A player for another site's page, in the given size. */
export function videoPlayer(
  { url, poster, ...own }: EmbeddedFile,
  { width, height }: { width: number; height: number } = own,
): string {
  const picture = poster === undefined ? '' : ` poster="${escapeHtml(poster)}" preload="none"`
  return `<video src="${escapeHtml(url)}" width="${width}" height="${height}"${picture} controls></video>`
}
