import type { TileData } from '../../../common/wire.ts'
import { drawingOf, isWithheld, type ShownFile } from '../../../media/index.ts'
import { tileOf } from '../../browse/lists/tiles.ts'
import type { PageCall } from '../../page-call.ts'

/** A file as the dashboard shows it: a withheld one leads to our drawing of it. */
export function staffTileOf(call: PageCall, shown: ShownFile): TileData {
  const tile = tileOf(call, shown)
  const { file } = shown
  if (!isWithheld(file) || !drawingOf(file)) return tile
  const path = `/dashboard/files/${file.id}/picture`
  return { ...tile, path, picture: file.isNsfw ? null : path, srcset: null }
}
