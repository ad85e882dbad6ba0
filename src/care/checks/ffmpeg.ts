import { findFfmpeg } from '../../imaging/index.ts'
import type { Ground } from '../check.ts'
import type { Note } from '../finding.ts'

/** Nothing is broken without it: videos are taken, and have no picture. */
export async function checkFfmpeg({ config }: Ground, note: Note): Promise<void> {
  if (await findFfmpeg(config.ffmpeg)) return
  const says = 'There is no ffmpeg: videos get no frame, thumb or medium.'
  const todo = 'Install ffmpeg, or name it by FFMPEG_PATH.'
  await note({ isFault: false, key: 'FFMPEG_PATH', says, todo })
}
