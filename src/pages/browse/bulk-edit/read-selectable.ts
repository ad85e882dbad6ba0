import { readUploadChoices } from '../../../media/index.ts'
import { readSettings } from '../../../site/index.ts'
import { type PageCall, userOf } from '../../page-call.ts'
import type { Selectable } from './selectable.ts'

/** What the bar of a list offers to its owner. */
export async function readSelectable(
  call: PageCall,
  { isAlbum }: Pick<Selectable, 'isAlbum'>,
): Promise<Selectable> {
  const [choices, { trash_days: days }] = await Promise.all([
    readUploadChoices(call.site, userOf(call)),
    readSettings(call.site),
  ])
  return { isAlbum, isTrash: false, hasTrash: days !== '0', choices }
}
