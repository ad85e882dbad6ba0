import type { UploadData } from '../../common/wire.ts'
import { Refusal } from '../../lib/refusal.ts'
import { collectorOf, largestUpload, type Share } from '../../media/index.ts'
import { assetPath } from '../../ui/assets/assets.ts'
import { writeSize } from '../../words/format.ts'
import type { PageCall } from '../page-call.ts'

/** How the queue of the page sends files to the share; undefined if the share takes none, or no more. */
export async function collectingData(
  { site, reader }: PageCall,
  share: Share,
  token: string,
): Promise<UploadData | undefined> {
  const collector = share.allowsUpload ? await collectorOf(site, share).catch(ifRefused) : undefined
  if (!collector) return undefined
  const { language, words } = reader
  const mostBytes = await largestUpload(site, collector)
  const tooBig = words.queue.tooBig.replace('{size}', writeSize(language, mostBytes))
  return {
    owner: `share ${share.id}`,
    csrf: null,
    mostBytes,
    hasUrls: false,
    language,
    sendsAt: `/share/${token}/files`,
    isCollecting: true,
    resumesAt: null,
    defaults: {},
    icons: assetPath('icons.svg'),
    styles: assetPath('upload.css'),
    words: { ...words.queue, tooBig },
  }
}

function ifRefused(error: unknown): undefined {
  if (!(error instanceof Refusal) || error.kind === 'unavailable') throw error
}
