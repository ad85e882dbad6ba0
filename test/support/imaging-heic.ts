/** A HEIC picture of 64 by 64 pixels, from the smallest of them that is public (mathiasbynens/small). */
const PROPERTIES = Buffer.from(
  '0000008d6970636f0000007168766343010408000000000000000000fff000fcfdf8f800000f03200001001740010c' +
    '01ffff0408000003009fa80000030000ffba024021000100264201010408000003009fa80000030000ffa020810596' +
    'ea4928ae01000003000100000300010822000100064401c17189120000001469737065000000000000004000000040',
  'hex',
)
const PICTURE = Buffer.from(
  '000000342801af05b81483ea23401ff75fee7fb5fd6fcefcefcefcefcf7cf7cf7cf7cf7cf7cf7cf7fe1411330965035eda72b4e9c520d6c0',
  'hex',
)

interface Item {
  type: string
  contentType?: string
  data: Buffer
}

/** The picture and what describes it, each an item of the file. */
export function heicWith(described: Item[] = [], size = 64): Buffer {
  const items: Item[] = [{ type: 'hvc1', data: PICTURE }, ...described]
  const head = box('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1'))
  const metaLength = meta(items, 0, size).length
  const dataAt = head.length + metaLength + 8
  const data = Buffer.concat(items.map((item) => item.data))
  return Buffer.concat([head, meta(items, dataAt, size), box('mdat', data)])
}

/** Copies of the picture side by side, and properties of the whole: what crops, turns or mirrors it. */
export function heicGrid(columns: number, rows: number, properties: Buffer[] = []): Buffer {
  const layout = Buffer.from([0, 0, rows - 1, columns - 1, 0, 0, 0, 0])
  layout.writeUInt16BE(columns * 64, 4)
  layout.writeUInt16BE(rows * 64, 6)
  const tiles: Item[] = Array.from({ length: columns * rows }, () => ({ type: 'hvc1', data: PICTURE }))
  const items = [{ type: 'grid', data: layout }, ...tiles]
  const ids = tiles.map((_, index) => number(index + 2, 2))
  const size = fullBox('ispe', Buffer.concat([number(columns * 64, 4), number(rows * 64, 4)]))
  const own = [size, ...properties]
  // After the two of the tiles.
  const container = box('ipco', Buffer.concat([PROPERTIES.subarray(8), ...own]))
  const association = fullBox(
    'ipma',
    Buffer.concat([
      number(items.length, 4),
      number(1, 2),
      Buffer.from([own.length, ...own.map((_, index) => index + 3)]),
      ...ids.flatMap((id) => [id, Buffer.from([2, 0x81, 2])]),
    ]),
  )
  const references = fullBox(
    'iref',
    box('dimg', Buffer.concat([number(1, 2), number(ids.length, 2), ...ids])),
  )
  const described = [references, box('iprp', Buffer.concat([container, association]))]
  const head = box('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1'))
  const dataAt = head.length + metaOf(items, 0, described).length + 8
  const data = Buffer.concat(items.map((item) => item.data))
  return Buffer.concat([head, metaOf(items, dataAt, described), box('mdat', data)])
}

/** Red, green, blue and yellow quarters of 256 by 256 pixels in one coded picture, as x265 writes them. */
const QUARTERS_DECODER = Buffer.from(
  '00000073687663430104080000009fa8000000003cf000fcfdf8f800000f03a00001001740010c01ffff0408000003' +
    '009fa800000300003cba0240a1000100274201010408000003009fa800000300003ca00808040596ea4932b9a02000' +
    '000300200000030321a2000100074401c172b06240',
  'hex',
)
const QUARTERS = Buffer.from(
  '000000eb2801af09c8753220c02335f1fff7383fff850765f6d0ad009b584e5b629a073f3cefeb93fb313ffebc92cc' +
    '31ffaa041a032c88ab0d8ed74103d1298acb2bf1f37cb9af0e1714f5ebc7591ae701f2c6f658cd917629450d976738' +
    'bd38ac6219f825547c037b7fffff3cdadd949f29f55f1b32838b1caf29a28ee4f3c049c5ad25c27ff65ab4789b5c09' +
    'cbf92ca197019259eafc6664c827b80e98e19fb7ffffe39e8dc7be8681b207ddfac7908c9e3b82a77de069f5802fdf' +
    'fe9708c2ff5293058750baa38db7f9ebd49cf8fc9195f53d6bfcd592908c0178cde88b7da8bd4055f69798bc9313be' +
    'e8f18780',
  'hex',
)

/** The quarters, and properties of their picture. */
export function heicQuarters(properties: Buffer[] = []): Buffer {
  const size = fullBox('ispe', Buffer.concat([number(256, 4), number(256, 4)]))
  const own = [QUARTERS_DECODER, size, ...properties]
  // All but the size are essential.
  const indices = own.map((_, index) => (index === 1 ? 2 : 0x80 | (index + 1)))
  const association = Buffer.concat([number(1, 4), number(1, 2), Buffer.from([own.length, ...indices])])
  const described = [
    box('iprp', Buffer.concat([box('ipco', Buffer.concat(own)), fullBox('ipma', association)])),
  ]
  const items = [{ type: 'hvc1', data: QUARTERS }]
  const head = box('ftyp', Buffer.from('heic\0\0\0\0mif1heic', 'latin1'))
  const dataAt = head.length + metaOf(items, 0, described).length + 8
  return Buffer.concat([head, metaOf(items, dataAt, described), box('mdat', QUARTERS)])
}

/** How much of a picture is shown, and how far its middle is from the middle. */
export const clap = (width: number, height: number, right = 0, down = 0): Buffer =>
  box('clap', Buffer.concat([width, 1, height, 1, right, 1, down, 1].map((value) => number(value >>> 0, 4))))

export const irot = (quarters: number): Buffer => box('irot', Buffer.from([quarters]))
export const imir = (axis: number): Buffer => box('imir', Buffer.from([axis]))

export function exifItem(tiff: Buffer): Item {
  return {
    type: 'Exif',
    data: Buffer.concat([Buffer.from([0, 0, 0, 6]), Buffer.from('Exif\0\0', 'latin1'), tiff]),
  }
}

export function xmpItem(xmp: string): Item {
  return { type: 'mime', contentType: 'application/rdf+xml', data: Buffer.from(xmp) }
}

function meta(items: Item[], dataAt: number, size: number): Buffer {
  const properties = Buffer.from(PROPERTIES)
  properties.writeUInt32BE(size, properties.length - 8)
  properties.writeUInt32BE(size, properties.length - 4)
  const association = fullBox('ipma', Buffer.concat([number(1, 4), number(1, 2), Buffer.from([2, 0x81, 2])]))
  return metaOf(items, dataAt, [box('iprp', Buffer.concat([properties, association]))])
}

function metaOf(items: Item[], dataAt: number, described: Buffer[]): Buffer {
  let next = dataAt
  const places = items.map(({ data }, index) => {
    next += data.length
    return Buffer.concat([
      number(index + 1, 2),
      number(0, 2),
      number(1, 2),
      number(next - data.length, 4),
      number(data.length, 4),
    ])
  })
  const entries = items.map(({ type, contentType }, index) => {
    const words = Buffer.from(`${type}\0${contentType === undefined ? '' : `${contentType}\0`}`, 'latin1')
    return fullBox('infe', Buffer.concat([number(index + 1, 2), number(0, 2), words]), 2)
  })
  return fullBox(
    'meta',
    Buffer.concat([
      fullBox('hdlr', Buffer.from('\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0', 'latin1')),
      fullBox('pitm', number(1, 2)),
      fullBox('iloc', Buffer.concat([Buffer.from([0x44, 0]), number(items.length, 2), ...places])),
      fullBox('iinf', Buffer.concat([number(items.length, 2), ...entries])),
      ...described,
    ]),
  )
}

const fullBox = (type: string, data: Buffer, version = 0) =>
  box(type, Buffer.concat([Buffer.from([version, 0, 0, 0]), data]))

function box(type: string, data: Buffer): Buffer {
  return Buffer.concat([number(data.length + 8, 4), Buffer.from(type, 'latin1'), data])
}

function number(value: number, width: number): Buffer {
  const bytes = Buffer.alloc(width)
  bytes.writeUIntBE(value, 0, width)
  return bytes
}
