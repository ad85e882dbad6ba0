import type { FileAddresses } from '../../../http/addresses/file-addresses.ts'
import type { Html } from '../../../lib/html.ts'
import { type StoredFile, variantOf } from '../../../media/index.ts'
import { titleOf } from './title.ts'

interface About {
  file: StoredFile
  addresses: FileAddresses
  username: string | undefined
  isUnlisted: boolean
}

/** JSON-LD for search engines, of files that they may show. It is data: no browser runs it. */
export function linkedData({ file, addresses, username, isUnlisted }: About): Html | undefined {
  if (isUnlisted || file.isNsfw || file.expiresAt) return undefined
  const thumb = variantOf(file, 'thumb')
  const isVideo = file.type === 'video'
  const data = {
    '@context': 'https://schema.org',
    '@type': isVideo ? 'VideoObject' : 'ImageObject',
    name: titleOf(file),
    ...(file.description?.trim() && { description: file.description.slice(0, 300).toWellFormed() }),
    url: addresses.viewer,
    contentUrl: addresses.url,
    encodingFormat: file.mime,
    width: file.width,
    height: file.height,
    uploadDate: file.createdAt.toISOString(),
    ...(thumb && { thumbnailUrl: addresses.urlOf(thumb) }),
    ...(isVideo && file.durationSeconds > 0 && { duration: `PT${Math.round(file.durationSeconds)}S` }),
    ...(username !== undefined && { creator: { '@type': 'Person', name: username } }),
  }
  const json = JSON.stringify(data).replaceAll('<', '\\u003c')
  return { markup: `<script type="application/ld+json">${json}</script>` }
}
