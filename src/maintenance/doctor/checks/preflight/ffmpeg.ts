import { FFMPEG_PACKAGE, type Ffmpeg, findFfmpeg } from '../../../../imaging/index.ts'
import type { Preflight } from '../../check.ts'
import type { Note } from '../../finding.ts'

/** Names the FFmpeg that extracts frames. A missing one is a warning: videos are accepted without a frame. */
export async function checkFfmpeg({ config }: Preflight, note: Note): Promise<string | undefined> {
  const ffmpeg = await findFfmpeg(config.ffmpeg)
  if (ffmpeg !== undefined) return `FFmpeg ${ffmpeg.version} ${sourceOf(ffmpeg)}`
  const says = 'There is no ffmpeg: videos get no frame, thumb or medium.'
  const todo = `Install the package ${FFMPEG_PACKAGE} or ffmpeg, or name it by FFMPEG_PATH.`
  await note({ isFault: false, key: 'FFMPEG_PATH', says, todo })
  return undefined
}

function sourceOf({ from, path }: Ffmpeg): string {
  return from === 'package' ? `of the package ${FFMPEG_PACKAGE}` : `at ${path} (${from})`
}
