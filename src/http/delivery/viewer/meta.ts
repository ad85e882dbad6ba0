import type { StoredFile } from '../../../media/index.ts'
import type { FileAddresses } from '../../file-addresses.ts'
import { type Html, html } from '../../html.ts'
import { inPreviews, shownPicture } from './picture.ts'
import { titleOf } from './title.ts'

interface About {
  file: StoredFile
  addresses: FileAddresses
  siteName: string
  oembedUrl: string
}

/** What the page says to those who show a link to it. Nothing unsafe is shown to people who did not ask for it. */
export function metaTags({ file, addresses, siteName, oembedUrl }: About): Html {
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
${file.isNsfw ? html`<meta name="rating" content="adult">` : html`<link rel="alternate" type="application/json+oembed" href="${oembedUrl}" title="${title}">`}
${description ? html`<meta name="description" content="${description.slice(0, 300).toWellFormed()}">` : undefined}
${file.expiresAt ? html`<meta name="robots" content="noindex">` : undefined}
${tags.map(([name, content]) => html`<meta ${name.startsWith('twitter:') ? 'name' : 'property'}="${name}" content="${content}">`)}`
}

function previewTags(
  file: StoredFile,
  addresses: FileAddresses,
  title: string,
): (readonly [string, string | number])[] {
  const { url, mime, width, height } = shownPicture(file, addresses, inPreviews)
  return [
    ['og:image', url],
    ['og:image:type', mime],
    ['og:image:width', width],
    ['og:image:height', height],
    ['og:image:alt', title],
    ...(file.type === 'video' ? videoTags(file, addresses) : []),
    ['twitter:card', width >= 300 && height >= 157 ? 'summary_large_image' : 'summary'],
    ['twitter:title', title],
    ['twitter:image', url],
  ]
}

const videoTags = (file: StoredFile, { url }: FileAddresses) =>
  [
    ['og:video', url],
    ['og:video:type', file.mime],
    ['og:video:width', file.width],
    ['og:video:height', file.height],
  ] as const
