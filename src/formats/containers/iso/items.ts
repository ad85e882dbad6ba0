import { notDecodable } from '../../errors.ts'
import { ByteCursor } from '../byte-cursor.ts'
import type { Bytes } from '../bytes.ts'
import { childrenOf, findBox, type IsoBox, outerBoxes } from './boxes.ts'

interface Extent {
  at: number
  length: number
}

/** One item of a HEIF file: a picture, or metadata. */
export interface IsoItem {
  id: number
  type: string
  contentType: string
  /** Its ranges in the file; undefined if the item is derived from other items. */
  extents: Extent[] | undefined
  properties: IsoBox[]
}

export interface IsoItems {
  primary: IsoItem | undefined
  items: IsoItem[]
  /** All properties of the file. */
  properties: IsoBox[]
}

/** The items of the file's `meta` box; none if there is no such box. */
export function itemsOf(bytes: Bytes): IsoItems {
  const meta = findBox(outerBoxes(bytes).boxes, 'meta')
  if (meta === undefined) return { primary: undefined, items: [], properties: [] }
  const boxes = childrenOf(bytes, meta, 4)
  const items = readItems(bytes, findBox(boxes, 'iinf'))
  const byId = new Map(items.map((item) => [item.id, item]))
  readLocations(bytes, boxes, byId)
  const properties = readProperties(bytes, findBox(boxes, 'iprp'), byId)
  return { primary: byId.get(readPrimary(bytes, findBox(boxes, 'pitm'))), items, properties }
}

export function dataOfItem(bytes: Bytes, { extents }: IsoItem): Buffer | undefined {
  return extents && Buffer.concat(extents.map(({ at, length }) => bytes.read(at, length)))
}

function readPrimary(bytes: Bytes, box: IsoBox | undefined): number {
  if (box === undefined) return -1
  const cursor = new ByteCursor(bytes, box.dataAt, box.end)
  const version = cursor.take(1)
  cursor.take(3)
  return cursor.take(version === 0 ? 2 : 4)
}

function readItems(bytes: Bytes, box: IsoBox | undefined): IsoItem[] {
  if (box === undefined) return []
  const version = bytes.read(box.dataAt, 1).readUInt8(0)
  return childrenOf(bytes, box, version === 0 ? 6 : 8).flatMap((entry) => {
    const cursor = new ByteCursor(bytes, entry.dataAt, entry.end)
    const entryVersion = cursor.take(1)
    // Older versions have no item type.
    if (entry.type !== 'infe' || entryVersion < 2) return []
    cursor.take(3)
    const id = cursor.take(entryVersion === 2 ? 2 : 4)
    cursor.take(2)
    const type = cursor.text(4)
    cursor.string()
    const contentType = type === 'mime' ? cursor.string() : ''
    return [{ id, type, contentType, extents: undefined, properties: [] }]
  })
}

function readLocations(bytes: Bytes, boxes: readonly IsoBox[], items: ReadonlyMap<number, IsoItem>): void {
  const box = findBox(boxes, 'iloc')
  if (box === undefined) return
  const inner = findBox(boxes, 'idat')
  const cursor = new ByteCursor(bytes, box.dataAt, box.end)
  const version = cursor.take(1)
  cursor.take(3)
  const [offsetBytes, lengthBytes] = halves(cursor.take(1))
  const [baseBytes, indexBytes] = halves(cursor.take(1))
  const itemCount = cursor.take(version < 2 ? 2 : 4)
  for (let index = 0; index < itemCount; index++) {
    const item = items.get(cursor.take(version < 2 ? 2 : 4))
    const method = version === 0 ? 0 : cursor.take(2) & 0x0f
    cursor.take(2)
    const base = cursor.take(baseBytes)
    const extents: Extent[] = []
    for (let count = cursor.take(2); count > 0; count--) {
      if (version > 0) cursor.take(indexBytes)
      const at = base + cursor.take(offsetBytes)
      const length = cursor.take(lengthBytes)
      extents.push({ at, length: length === 0 ? bytes.size - at : length })
    }
    if (item !== undefined) item.extents = absoluteExtents(extents, method, inner)
  }
}

/** Offsets count from the start of the file (method 0), from `idat` (1), or within another item (2, not supported). */
function absoluteExtents(extents: Extent[], method: number, inner: IsoBox | undefined): Extent[] | undefined {
  if (method === 0) return extents
  if (method !== 1 || inner === undefined) return undefined
  return extents.map(({ at, length }) => ({ at: inner.dataAt + at, length }))
}

function readProperties(
  bytes: Bytes,
  box: IsoBox | undefined,
  items: ReadonlyMap<number, IsoItem>,
): IsoBox[] {
  if (box === undefined) return []
  const boxes = childrenOf(bytes, box)
  const container = findBox(boxes, 'ipco')
  const properties = container === undefined ? [] : childrenOf(bytes, container)
  for (const association of boxes.filter(({ type }) => type === 'ipma')) {
    const cursor = new ByteCursor(bytes, association.dataAt, association.end)
    const version = cursor.take(1)
    const hasWideIndex = (cursor.take(3) & 1) === 1
    for (let entries = cursor.take(4); entries > 0; entries--) {
      const item = items.get(cursor.take(version === 0 ? 2 : 4))
      for (let count = cursor.take(1); count > 0; count--) {
        const index = hasWideIndex ? cursor.take(2) & 0x7fff : cursor.take(1) & 0x7f
        const property = properties[index - 1]
        if (property !== undefined) item?.properties.push(property)
      }
    }
  }
  return properties
}

function halves(byte: number): [number, number] {
  const sizes: [number, number] = [byte >> 4, byte & 0x0f]
  if (sizes.some((size) => ![0, 4, 8].includes(size))) throw notDecodable('a number of unsupported size')
  return sizes
}
