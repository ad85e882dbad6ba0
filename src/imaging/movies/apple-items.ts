import type { IsoBox } from '../containers/iso-boxes.ts'
import { type BoxTree, freeBox, listBoxes, overwrite } from './box-tree.ts'
import { namesPlace } from './place-names.ts'

/** Takes the location out of the list of items in a `meta` box, and its names out of the list of keys. */
export function stripItems(tree: BoxTree, boxes: readonly IsoBox[]): void {
  const keys = boxes.filter(({ type }) => type === 'keys').map((box) => stripKeys(tree, box))
  const dropped = new Set(keys.flatMap((numbers) => numbers ?? []))
  for (const list of boxes.filter(({ type }) => type === 'ilst')) {
    const items = keys.includes(undefined) ? undefined : listBoxes(tree, list.dataAt, list.end)
    // What cannot be read may tell anything.
    if (items === undefined) freeBox(tree, list)
    else dropItems(tree, list, items, (item) => isLocation(tree, item, dropped))
  }
}

/** Numbers of the keys that tell a location, as items use them. Their names are crossed out, the others keep their numbers. */
function stripKeys(tree: BoxTree, { dataAt, end }: IsoBox): string[] | undefined {
  const dropped: string[] = []
  const entries = listBoxes(tree, Math.min(dataAt + 8, end), end)
  if (entries === undefined) return undefined
  for (const [index, entry] of entries.entries()) {
    const name = tree.bytes.toString('latin1', entry.dataAt, entry.end)
    const isCrossedOut = /^-+$/.test(name)
    if (!isCrossedOut && !namesPlace(name)) continue
    dropped.push(numbered(index + 1))
    overwrite(tree, entry.dataAt, Buffer.alloc(name.length, '-'))
  }
  return dropped
}

/** The name of a box whose four bytes are a number. */
function numbered(value: number): string {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes.toString('latin1')
}

function isLocation(tree: BoxTree, item: IsoBox, dropped: ReadonlySet<string>): boolean {
  if (dropped.has(item.type) || item.type === '\xa9xyz' || item.type === 'loci') return true
  if (item.type !== '----') return false
  const parts = listBoxes(tree, item.dataAt, item.end)
  const name = parts?.find(({ type }) => type === 'name')
  return (
    parts === undefined ||
    (name !== undefined && namesPlace(tree.bytes.toString('latin1', name.dataAt, name.end)))
  )
}

/** Readers take every box in the list for an item, so that the empty space stands behind the list. */
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
