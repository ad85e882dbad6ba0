import sharp from 'sharp'
import { bytesOf } from '../../src/formats/containers/bytes.ts'
import { chunksOf, writeChunk } from '../../src/formats/containers/png-chunks.ts'
import { heicWith } from './imaging-heic.ts'
import { drawQuarters } from './imaging-pictures.ts'

/** A picture of a kind, and the fields that its upload must return. */
export interface KindCase {
  kind: string
  make: () => Promise<Buffer>
  sentAs: string
  extension: string
  mime: string
  /** Extension of thumb and medium. */
  versions: string
  width: number
  height: number
  /** Its sides; nothing where there is none. */
  medium: readonly [number, number] | undefined
  isAnimated?: boolean
  /** Stored otherwise than sent. */
  isChanged?: boolean
}

const large = { width: 640, height: 480, medium: [500, 375] } as const
const animated = { width: 60, height: 40, medium: [60, 40], isAnimated: true } as const
const draw = () => drawQuarters(640, 480)
const made = (kind: string, make: () => Promise<Buffer>, extension: string, versions: string) => ({
  kind,
  make,
  extension,
  versions,
  mime: `image/${extension}`,
  sentAs: `cat.${extension}`,
})

export const kindCases: readonly KindCase[] = [
  { ...made('JPEG', () => draw().jpeg().toBuffer(), 'jpeg', 'jpeg'), ...large },
  { ...made('PNG', () => draw().png().toBuffer(), 'png', 'png'), ...large },
  { ...made('GIF', () => draw().gif().toBuffer(), 'gif', 'webp'), ...large },
  { ...made('WebP', () => draw().webp().toBuffer(), 'webp', 'webp'), ...large },
  { ...made('AVIF', () => draw().avif({ effort: 0 }).toBuffer(), 'avif', 'webp'), ...large },
  { ...made('TIFF', () => draw().tiff().toBuffer(), 'tiff', 'webp'), ...large },
  {
    ...made('BMP', async () => bmp(640, 480), 'png', 'png'),
    ...large,
    sentAs: 'cat.bmp',
    isChanged: true,
  },
  {
    ...made('HEIC', async () => heicWith(), 'heic', 'webp'),
    width: 64,
    height: 64,
    medium: undefined,
  },
  { ...made('animated GIF', () => animation('gif'), 'gif', 'webp'), ...animated },
  { ...made('animated WebP', () => animation('webp'), 'webp', 'webp'), ...animated },
  { ...made('APNG', apng, 'png', 'png'), ...animated },
  {
    ...made('small JPEG', () => drawQuarters(500, 20).jpeg().toBuffer(), 'jpeg', 'jpeg'),
    width: 500,
    height: 20,
    medium: undefined,
  },
]

export function bmp(width: number, height: number): Buffer {
  const rowBytes = Math.ceil((width * 3) / 4) * 4
  const file = Buffer.alloc(54 + rowBytes * height, 0x40)
  file.write('BM')
  file.writeUInt32LE(file.length, 2)
  file.writeUInt32LE(54, 10)
  file.fill(0, 14, 54)
  file.writeUInt32LE(40, 14)
  file.writeInt32LE(width, 18)
  file.writeInt32LE(height, 22)
  file.writeUInt16LE(1, 26)
  file.writeUInt16LE(24, 28)
  return file
}

const still = (background: string) =>
  sharp({ create: { width: 60, height: 40, channels: 3, background } })
    .png()
    .toBuffer()

export async function animation(format: 'gif' | 'webp'): Promise<Buffer> {
  const frames = await Promise.all(['#f00', '#0f0', '#00f'].map(still))
  return sharp(frames, { join: { animated: true } })
    [format]()
    .toBuffer()
}

/** Two pictures, one after the other. */
export async function apng(): Promise<Buffer> {
  const [first, second] = await Promise.all([still('#f00'), still('#0f0')])
  const dataOf = (file: Buffer) =>
    Buffer.concat(
      chunksOf(bytesOf(file))
        .filter(({ type }) => type === 'IDAT')
        .map(({ dataAt, dataEnd }) => file.subarray(dataAt, dataEnd)),
    )
  const numbers = (...values: number[]) => Buffer.concat(values.map((value) => numberBytes(value)))
  const control = (sequence: number) =>
    writeChunk('fcTL', Buffer.concat([numbers(sequence, 60, 40, 0, 0), Buffer.from([0, 1, 0, 10, 0, 0])]))
  return Buffer.concat([
    first.subarray(0, 33),
    writeChunk('acTL', numbers(2, 0)),
    control(0),
    writeChunk('IDAT', dataOf(first)),
    control(1),
    writeChunk('fdAT', Buffer.concat([numbers(2), dataOf(second)])),
    writeChunk('IEND', Buffer.alloc(0)),
  ])
}

function numberBytes(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

export const svg = Buffer.from(
  '<svg xmlns="http://www.w3.org/2000/svg" width="640" height="480"><circle cx="20" cy="20" r="9"/></svg>',
)
