import type { IsoBox } from '../../containers/iso/boxes.ts'
import { isLocationField } from '../../metadata/location/video-fields.ts'
import { type BoxTree, freeBox, listBoxes, overwrite } from '../boxes/box-tree.ts'

/** Removes location items from the list in a `meta` box, and their names from the list of keys. */
export function stripItems(tree: BoxTree, boxes: readonly IsoBox[]): void {
  const keys = boxes.filter(({ type }) => type === 'keys').map((box) => stripKeys(tree, box))
  const dropped = new Set(keys.flatMap((numbers) => numbers ?? []))
  for (const list of boxes.filter(({ type }) => type === 'ilst')) {
    const items = keys.includes(undefined) ? undefined : listBoxes(tree, list.dataAt, list.end)
    // A list that cannot be parsed may contain a location, so it is blanked.
    if (items === undefined) freeBox(tree, list)
    else dropItems(tree, list, items, (item) => isLocation(tree, item, dropped))
  }
}

/** The indexes of location keys, as items refer to them. Their names are overwritten with dashes, so other keys keep their indexes. */
function stripKeys(tree: BoxTree, { dataAt, end }: IsoBox): string[] | undefined {
  const dropped: string[] = []
  const entries = listBoxes(tree, Math.min(dataAt + 8, end), end)
  if (entries === undefined) return undefined
  for (const [index, entry] of entries.entries()) {
    const name = tree.bytes.toString('latin1', entry.dataAt, entry.end)
    const isOverwritten = /^-+$/.test(name)
    if (!isOverwritten && !isLocationField(name)) continue
    dropped.push(typeOfIndex(index + 1))
    overwrite(tree, entry.dataAt, Buffer.alloc(name.length, '-'))
  }
  return dropped
}

/** The type of an item box, whose four bytes are the index of its key. */
function typeOfIndex(index: number): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(index)
  return bytes.toString('latin1')
}

function isLocation(tree: BoxTree, item: IsoBox, dropped: ReadonlySet<string>): boolean {
  if (dropped.has(item.type) || item.type === '\xa9xyz' || item.type === 'loci') return true
  if (item.type !== '----') return false
  const parts = listBoxes(tree, item.dataAt, item.end)
  const name = parts?.find(({ type }) => type === 'name')
  return (
    parts === undefined ||
    (name !== undefined && isLocationField(tree.bytes.toString('latin1', name.dataAt, name.end)))
  )
}

/** Readers treat every box in the list as an item, so the free space follows the list and is not in it. */
function dropItems(tree: BoxTree, list: IsoBox, items: IsoBox[], isDropped: (item: IsoBox) => boolean): void {
  const kept = items.filter((item) => !isDropped(item))
  if (kept.length === items.length) return
  const { bytes } = tree
  const rest = Buffer.concat(kept.map(({ start, end }) => bytes.subarray(start, end)))
  const end = list.dataAt + rest.length
  rest.copy(bytes, list.dataAt)
  if (list.dataAt - list.start === 16) bytes.writeBigUInt64BE(BigInt(end - list.start), list.start + 8)
  else bytes.writeUInt32BE(end - list.start, list.start)
  bytes.fill(0, end, list.end)
  bytes.writeUInt32BE(list.end - end, end)
  bytes.write('free', end + 4, 'latin1')
  tree.isChanged = true
}
