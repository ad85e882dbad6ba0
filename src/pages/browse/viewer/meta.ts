import type { FileAddresses } from '../../../http/addresses/file-addresses.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { StoredFile } from '../../../media/index.ts'
import { inPreviews, shownPicture } from './drawn-picture.ts'
import { titleOf } from './title.ts'

interface About {
  file: StoredFile
  addresses: FileAddresses
  siteName: string
  oembedUrl: string | undefined
  isUnlisted: boolean
}

/** Metadata for link previews and search engines. A picture that is not safe for work is in no preview. */
export function metaTags({ file, addresses, siteName, oembedUrl, isUnlisted }: About): Html {
  const title = titleOf(file)
  const description = file.description?.trim()
  const tags: (readonly [name: string, content: string | number])[] = [
    ['og:type', file.type === 'video' ? 'video.other' : 'website'],
    ['og:site_name', siteName],
    ['og:title', title],
    ['og:url', addresses.viewer],
    ...(description ? [['og:description', description.slice(0, 300).toWellFormed()] as const] : []),
    ...(file.isNsfw ? [] : previewTags(file, addresses, title)),
  ]
  return html`<link rel="canonical" href="${addresses.viewer}">
${file.isNsfw ? html`<meta name="rating" content="adult">` : oembedLink(oembedUrl, title)}
${description ? html`<meta name="description" content="${description.slice(0, 300).toWellFormed()}">` : undefined}
${file.expiresAt || isUnlisted ? html`<meta name="robots" content="noindex">` : undefined}
${tags.map(([name, content]) => html`<meta ${name.startsWith('twitter:') ? 'name' : 'property'}="${name}" content="${content}">`)}`
}

const oembedLink = (url: string | undefined, title: string) =>
  url && html`<link rel="alternate" type="application/json+oembed" href="${url}" title="${title}">`

function previewTags(
  file: StoredFile,
  addresses: FileAddresses,
  title: string,
): (readonly [string, string | number])[] {
  const video = file.type === 'video' ? videoTags(file, addresses) : []
  // A video from which no frame could be taken has no picture to show.
  if (file.type === 'video' && file.variants.length === 0) return [...video, ['twitter:card', 'summary']]
  const { url, mime, width, height } = shownPicture(file, addresses, inPreviews)
  return [
    ['og:image', url],
    ['og:image:type', mime],
    ['og:image:width', width],
    ['og:image:height', height],
    ['og:image:alt', title],
    ...video,
    ['twitter:card', width >= 300 && height >= 157 ? 'summary_large_image' : 'summary'],
    ['twitter:image', url],
  ]
}

const videoTags = (file: StoredFile, { url }: FileAddresses) => [
  ['og:video', url] as const,
  ...(url.startsWith('https:') ? [['og:video:secure_url', url] as const] : []),
  ['og:video:type', file.mime] as const,
  ['og:video:width', file.width] as const,
  ['og:video:height', file.height] as const,
  ['video:duration', file.durationSeconds] as const,
]
