import type { ShownFile } from '../../../media/index.ts'
import type { PageCall } from '../../page-call.ts'
import type { MediaTile } from '../../parts/lists/media-tile.ts'
import { staffTileOf } from '../files/staff-tile.ts'

/** Files as tiles in their own shape. */
export const newestTiles = (call: PageCall, files: readonly ShownFile[]): MediaTile[] =>
  files.map((shown) => {
    const { path, title, picture, badge, isCovered } = staffTileOf(call, shown)
    const { width, height } = shown.file
    return {
      address: path,
      title,
      picture: picture === null ? undefined : { path: picture, width, height },
      ...(badge !== null && { badge }),
      ...(isCovered && { cover: call.reader.words.nsfw }),
    }
  })
