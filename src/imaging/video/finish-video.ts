import { hash } from 'node:crypto'
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { openBytes } from '../../formats/containers/bytes.ts'
import { rewriteVideo } from '../../formats/video/rewrite-video.ts'
import type { ExaminedVideo, FinishJob, StoredBytes, Variant } from '../children/job.ts'
import { notDecodable } from '../errors.ts'
import { kindsByName } from '../kinds/index.ts'
import { withSource } from '../pixels/source.ts'
import { MEDIUM_WIDTH, writeVariants } from '../pixels/variants.ts'

/** Makes the file to store, and the variants from the video's frame. Runs in a child process only. */
export async function finishVideo(job: FinishJob): Promise<ExaminedVideo> {
  const { framePath } = job
  const variants = framePath === undefined ? {} : await variantsOf(job, framePath)
  return {
    type: 'video',
    kind: job.kind,
    file: storedFile(job),
    ...job.video,
    ...variants,
    bits: 8,
    channels: 3,
    isAnimated: false,
    is360: false,
  }
}

/** FFmpeg has read an untrusted file, so the frame that it wrote is treated as untrusted too. */
async function variantsOf(job: FinishJob, path: string): Promise<Partial<ExaminedVideo>> {
  const { width, height } = job.video
  using bytes = openBytes(path)
  const header = { width, height, frames: 1 }
  const picture = { kind: kindsByName.jpeg, path, bytes, header, maxPixels: width * height }
  return await withSource(picture, async (source) => {
    if (source.width !== width || source.height !== height)
      throw notDecodable(`its frame is ${source.width} x ${source.height}, expected ${width} x ${height}`)
    const wanted = { format: 'jpeg', folder: job.outputFolder, hasMedium: width > MEDIUM_WIDTH } as const
    const frame: Variant = {
      path,
      mime: kindsByName.jpeg.mime,
      extension: 'jpeg',
      width,
      height,
      sizeBytes: bytes.size,
      sha256: hash('sha256', bytes.read(0, bytes.size)),
    }
    return { frame, ...(await writeVariants(source, wanted)) }
  })
}

function storedFile({ path, outputFolder, kind, policy }: FinishJob): StoredBytes {
  const { mime, extensions } = kindsByName[kind]
  const about = { kind, mime, extensions }
  const newPath = join(outputFolder, `file.${extensions[0]}`)
  const rewritten = rewriteVideo(path, newPath, { kind, policy })
  if (rewritten.isUnchanged) return { ...about, path, isUnchanged: true, sizeBytes: statSync(path).size }
  return { ...about, path: newPath, ...rewritten }
}
