import type { Bytes } from '../../formats/containers/bytes.ts'
import type { Edit } from '../../formats/containers/edits.ts'
import { withoutUnknownLocation } from '../../formats/metadata/unknown-block.ts'
import { isBlank, zeros } from '../../formats/video/blank-ranges.ts'
import { embeddedVideoEdits } from '../../formats/video/embedded-videos.ts'
import type { Strip } from '../../formats/video/strip/user-boxes.ts'

const MAX_READ_BYTES = 16_777_216

/** Edits for vendor data after the end of a picture: videos in it are cleaned, other data is blanked if it mentions a location. */
export function trailerEdits(bytes: Bytes, range: { start: number; end: number }, policy: Strip): Edit[] {
  const { start, end } = range
  if (policy === 'strip_all') return isBlank(bytes, start, end) ? [] : zeros(range)
  const videos = embeddedVideoEdits(bytes, range, policy)
  if (videos.length > 0 || end - start > MAX_READ_BYTES) return videos
  const cleaned = withoutUnknownLocation(bytes.read(start, end - start))
  return cleaned === undefined ? [] : [{ start, end, bytes: cleaned }]
}
