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
  /** What browsers show of a picture; see `shownVersion`. */
  shown: EmbeddedVersion
}

/** Kinds of pictures that other sites cannot show. */
const unshownMimes = /^image\/(?:heic|heif|tiff)$/

/** The picture itself, or the widest of its `srcset` if browsers do not show its kind. */
export function shownVersion(
  file: EmbeddedVersion & { mime: string },
  srcset: () => string | null | undefined,
): EmbeddedVersion {
  const widest = unshownMimes.test(file.mime) ? srcset()?.split(', ').at(-1) : undefined
  const [, url, digits] = /^(\S+) (\d+)w$/.exec(widest ?? '') ?? []
  if (url === undefined) return file
  const width = Number(digits)
  return { url, width, height: Math.max(1, Math.round((file.height * width) / file.width)) }
}

/**
 * A link or a snippet to paste elsewhere, of the file itself unless a version is given. Snippets use the short link, whose
 * characters need no escaping in any of them. `own` is the template of the user.
 */
export function embedCode(
  file: EmbeddedFile,
  format: CodeFormat,
  { version, template = '' }: { version?: EmbeddedVersion; template?: string } = {},
): string {
  const { page, short, name } = file
  const { url, width, height } = version ?? file
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
  const isPlayer = file.type === 'video' && version === undefined
  const picture = version ?? file.shown
  if (format === 'bbcode')
    return isPlayer ? `[video]${url}[/video]` : `[url=${short}][img]${picture.url}[/img][/url]`
  if (format === 'markdown')
    return isPlayer ? `[${short}](${short})` : `[![${escapeMarkdown(title)}](${picture.url})](${short})`
  return isPlayer
    ? videoPlayer(file)
    : `<a href="${escapeHtml(short)}"><img src="${escapeHtml(picture.url)}" alt="${escapeHtml(title)}" width="${picture.width}" height="${picture.height}"></a>`
}

/** A player for another site's page, in the given size. */
export function videoPlayer(
  { url, poster, ...own }: EmbeddedFile,
  { width, height }: { width: number; height: number } = own,
): string {
  const picture = poster === undefined ? '' : ` poster="${escapeHtml(poster)}" preload="none"`
  return `<video src="${escapeHtml(url)}" width="${width}" height="${height}"${picture} controls></video>`
}
