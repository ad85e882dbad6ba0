import { createReadStream } from 'node:fs'
import { dirname } from 'node:path'
import { callerLeft, type Examined, type MetadataPolicy } from '../../imaging/index.ts'
import { limitOf, type Site } from '../../site/index.ts'
import { diskFault } from '../../storage/index.ts'
import type { SpooledFile, UploadAttempt } from './upload-attempt.ts'

/** Decodes an upload and makes its variants beside it. A disk failure is reported as one, not as a broken image. */
export async function examineUpload(
  site: Site,
  attempt: UploadAttempt,
  onBegin: () => void,
): Promise<Examined> {
  const { spooled, signal } = attempt.upload
  try {
    return await examine(site, attempt, onBegin).catch(async (error) => {
      if (signal?.aborted) throw callerLeft()
      // A decoder that cannot read its input reports a broken image: read the file again to tell the two apart.
      await readThrough(spooled)
      throw error
    })
  } catch (error) {
    throw diskFault(error)
  }
}

async function examine(
  site: Site,
  { upload, settings }: UploadAttempt,
  onBegin: () => void,
): Promise<Examined> {
  const { spooled, request, signal } = upload
  return site.imaging.examine(spooled.path, {
    tenantKey: String(site.number),
    outputFolder: dirname(spooled.path),
    policy: settings.metadata as MetadataPolicy,
    maxPixels: limitOf(site.values, 'SERVICE_MAX_PIXELS') ?? 0,
    allowSvg: settings.enable_svg === '1',
    width: request.width,
    signal,
    onBegin,
  })
}

async function readThrough({ path, sizeBytes }: SpooledFile): Promise<void> {
  let remaining = sizeBytes
  for await (const chunk of createReadStream(path)) remaining -= (chunk as Buffer).length
  if (remaining !== 0)
    throw Object.assign(new Error('The length of a spooled file has changed.'), { code: 'EIO' })
}
