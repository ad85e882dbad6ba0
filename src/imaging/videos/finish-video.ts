import { statSync } from 'node:fs'
import { join } from 'node:path'
import { openBytes } from '../containers/bytes.ts'
import { notDecodable } from '../errors.ts'
import type { ExaminedVideo, FinishJob, StoredBytes, Variant } from '../job.ts'
import { pictureKindNamed, videoKindNamed } from '../kinds/find-kind.ts'
import { rewriteMovie } from '../movies/rewrite-movie.ts'
import { withSource } from '../pixels/source.ts'
import { MEDIUM_WIDTH, writeVariants } from '../pixels/variants.ts'

/** The file to store, and what is made from its frame. Runs in a child process only. */
export async function finishVideo(job: FinishJob): Promise<ExaminedVideo> {
  const { framePath } = job
  const pictures = framePath === undefined ? {} : await versionsOf(job, framePath)
  return {
    ...{ type: 'video', kind: job.kind, file: storedFile(job), ...job.video, ...pictures },
    ...{ bits: 8, channels: 3, isAnimated: false, is360: false },
  }
}

/** What a program wrote that has read a stranger's file is looked at like a stranger's. */
async function versionsOf(job: FinishJob, path: string): Promise<Partial<ExaminedVideo>> {
  const { width, height } = job.video
  using bytes = openBytes(path)
  const header = { width, height, frames: 1 }
  const place = { kind: pictureKindNamed('jpeg'), path, bytes, header, maxPixels: width * height }
  return await withSource(place, async (source) => {
    if (source.width !== width || source.height !== height)
      throw notDecodable(`its frame is ${source.width} x ${source.height}`)
    const wanted = { format: 'jpeg', folder: job.outputFolder, hasMedium: width > MEDIUM_WIDTH } as const
    const frame: Variant = {
      ...{ path, mime: 'image/jpeg', extension: 'jpeg', width, height },
      sizeBytes: bytes.size,
    }
    return { frame, ...(await writeVariants(source, wanted)) }
  })
}

function storedFile({ path, outputFolder, kind, policy }: FinishJob): StoredBytes {
  const { mime, extensions } = videoKindNamed(kind)
  const about = { kind, mime, extensions }
  const newPath = join(outputFolder, `file.${extensions[0]}`)
  const rewritten = rewriteMovie(path, newPath, { kind, policy })
  if (rewritten.isUnchanged) return { ...about, path, isUnchanged: true, sizeBytes: statSync(path).size }
  return { ...about, path: newPath, ...rewritten }
}
