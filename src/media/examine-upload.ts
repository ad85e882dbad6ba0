import { createReadStream } from 'node:fs'
import { dirname } from 'node:path'
import type { Examined, MetadataPolicy } from '../imaging/index.ts'
import { limitOf, type Site } from '../site/index.ts'
import { diskFault } from '../storage/index.ts'
import type { Asked } from './duplicates.ts'
import type { SpooledFile } from './spooled-file.ts'

/** Decodes an upload, and makes its versions beside it. A disk that fails meanwhile is told as such. */
export async function examineUpload(site: Site, asked: Asked): Promise<Examined> {
  const { spooled } = asked.upload
  try {
    return await examine(site, asked).catch(async (error) => {
      // A decoder that gets no bytes takes the picture for a broken one.
      await readThrough(spooled)
      throw error
    })
  } catch (error) {
    throw diskFault(error)
  }
}

async function examine(site: Site, { upload, settings }: Asked): Promise<Examined> {
  const { spooled, request } = upload
  return site.imaging.examine(spooled.path, {
    share: String(site.number),
    outputFolder: dirname(spooled.path),
    policy: settings.metadata as MetadataPolicy,
    maxPixels: limitOf(site.values, 'SERVICE_MAX_PIXELS') ?? 0,
    allowSvg: settings.enable_svg === '1',
    width: request.width,
  })
}

async function readThrough({ path, sizeBytes }: SpooledFile): Promise<void> {
  let left = sizeBytes
  for await (const chunk of createReadStream(path)) left -= (chunk as Buffer).length
  if (left !== 0) throw Object.assign(new Error('A spooled file has another length now.'), { code: 'EIO' })
}
