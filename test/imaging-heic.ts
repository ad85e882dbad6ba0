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
  const properties = Buffer.from(PROPERTIES)
  properties.writeUInt32BE(size, properties.length - 8)
  properties.writeUInt32BE(size, properties.length - 4)
  const association = fullBox('ipma', Buffer.concat([number(1, 4), number(1, 2), Buffer.from([2, 0x81, 2])]))
  return fullBox(
    'meta',
    Buffer.concat([
      fullBox('hdlr', Buffer.from('\0\0\0\0pict\0\0\0\0\0\0\0\0\0\0\0\0\0', 'latin1')),
      fullBox('pitm', number(1, 2)),
      fullBox('iloc', Buffer.concat([Buffer.from([0x44, 0]), number(items.length, 2), ...places])),
      fullBox('iinf', Buffer.concat([number(items.length, 2), ...entries])),
      box('iprp', Buffer.concat([properties, association])),
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
