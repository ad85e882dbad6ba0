import type { Bytes } from '../../../formats/containers/bytes.ts'
import type { IsoBox } from '../../../formats/containers/iso/boxes.ts'
import { dataOfItem, type IsoItem, itemsOf } from '../../../formats/containers/iso/items.ts'
import { type IsoReference, referencesOf } from '../../../formats/containers/iso/references.ts'

/** A HEIC picture as a grid of coded pictures (tiles). */
export interface HevcTiles {
  /** Before the rotation. */
  width: number
  height: number
  columns: number
  tileWidth: number
  tileHeight: number
  tiles: IsoItem[]
  /** The parameter sets (`hvcC`), which the decoder needs before the first tile. */
  configuration: Buffer
  /** From the `nclx` colour property, which overrides the coded pictures. */
  colours: { matrix: number; isFullRange: boolean } | undefined
  /** Counter-clockwise rotations by 90 degrees, and mirrors, in the order of their properties. */
  turns: ({ quarters: number } | { isSideways: boolean })[]
}

/** Properties that are handled here, or that do not change pixels. */
const KNOWN = new Set([
  'hvcC',
  'ispe',
  'colr',
  'pixi',
  'irot',
  'imir',
  'pasp',
  'clli',
  'mdcv',
  'cclv',
  'amve',
])
const MAX_TILES = 4096

/** Undefined for everything that phones do not write: alpha, crops, overlays, layered pictures. */
export function hevcTilesOf(bytes: Bytes): HevcTiles | undefined {
  const { items, primary } = itemsOf(bytes)
  const size = primary && sizeOf(bytes, primary)
  if (primary === undefined || size === undefined) return undefined
  const references = referencesOf(bytes)
  const grid = primary.type === 'grid' ? gridOf(bytes, primary, items, references) : undefined
  const { columns, rows, tiles } = grid ?? { columns: 1, rows: 1, tiles: [primary] }
  const [first] = tiles
  const tile = first && sizeOf(bytes, first)
  const configuration = first && configurationOf(bytes, first)
  if (first === undefined || tile === undefined || configuration === undefined) return undefined
  const isUniform = tiles.every(
    (one) => one.type === 'hvc1' && configurationOf(bytes, one)?.equals(configuration) === true,
  )
  const isPlain = [primary, ...tiles].every(
    ({ id, properties }) =>
      properties.every(({ type }) => KNOWN.has(type)) && !hasAlpha(bytes, items, references, id),
  )
  // With 4:2:0 subsampling, the chroma planes of adjacent tiles fit together only if tile sides are even.
  const isEven = tiles.length === 1 || (tile.width % 2 === 0 && tile.height % 2 === 0)
  const isCovered = columns * tile.width >= size.width && rows * tile.height >= size.height
  if (!isUniform || !isPlain || !isEven || !isCovered || tiles.length !== columns * rows) return undefined
  return {
    ...size,
    columns,
    tiles,
    configuration,
    tileWidth: tile.width,
    tileHeight: tile.height,
    colours: coloursOf(bytes, primary) ?? coloursOf(bytes, first),
    turns: turnsOf(bytes, primary),
  }
}

const propertyOf = ({ properties }: IsoItem, wanted: string) => properties.find(({ type }) => type === wanted)

function sizeOf(bytes: Bytes, item: IsoItem): { width: number; height: number } | undefined {
  const size = propertyOf(item, 'ispe')
  if (size === undefined || size.end - size.dataAt < 12) return undefined
  const data = bytes.read(size.dataAt + 4, 8)
  return { width: data.readUInt32BE(0), height: data.readUInt32BE(4) }
}

function configurationOf(bytes: Bytes, item: IsoItem): Buffer | undefined {
  const box = propertyOf(item, 'hvcC')
  return box && Buffer.from(bytes.read(box.dataAt, box.end - box.dataAt))
}

function gridOf(bytes: Bytes, primary: IsoItem, items: IsoItem[], references: IsoReference[]) {
  const data = dataOfItem(bytes, primary)
  if (data === undefined || data.length < 8) return undefined
  const [rows, columns] = [data.readUInt8(2) + 1, data.readUInt8(3) + 1]
  const byId = new Map(items.map((item) => [item.id, item]))
  const tiles = references
    .filter(({ type, from }) => type === 'dimg' && from === primary.id)
    .flatMap(({ to }) => byId.get(to) ?? [])
  return rows * columns > MAX_TILES ? undefined : { rows, columns, tiles }
}

function hasAlpha(bytes: Bytes, items: IsoItem[], references: IsoReference[], id: number): boolean {
  const auxiliaries = references.filter(({ type, to }) => type === 'auxl' && to === id)
  return auxiliaries.some(({ from }) => {
    const auxiliary = items.find((item) => item.id === from)
    const box = auxiliary && propertyOf(auxiliary, 'auxC')
    // An auxiliary picture without a type may be alpha.
    return box === undefined || /alpha|auxid:1\0/.test(textOf(bytes, box))
  })
}

const textOf = (bytes: Bytes, { dataAt, end }: IsoBox) => bytes.read(dataAt, end - dataAt).toString('latin1')

function coloursOf(bytes: Bytes, { properties }: IsoItem): HevcTiles['colours'] {
  const box = properties.find(
    ({ type, dataAt, end }) =>
      type === 'colr' && end - dataAt >= 11 && bytes.read(dataAt, 4).toString('latin1') === 'nclx',
  )
  if (box === undefined) return undefined
  const data = bytes.read(box.dataAt + 8, 3)
  return { matrix: data.readUInt16BE(0), isFullRange: data.readUInt8(2) >= 128 }
}

function turnsOf(bytes: Bytes, { properties }: IsoItem): HevcTiles['turns'] {
  return properties.flatMap(({ type, dataAt }): HevcTiles['turns'] => {
    if (type !== 'irot' && type !== 'imir') return []
    const value = bytes.read(dataAt, 1).readUInt8(0)
    return type === 'irot' ? [{ quarters: value & 3 }] : [{ isSideways: (value & 1) === 1 }]
  })
}
