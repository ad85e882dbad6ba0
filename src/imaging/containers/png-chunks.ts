import { crc32 } from 'node:zlib'
import { notDecodable } from '../errors.ts'
import type { Bytes } from './bytes.ts'

export interface PngChunk {
  type: string
  start: number
  dataAt: number
  dataEnd: number
  /** After the checksum. */
  end: number
}

export const PNG_SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** All chunks; a file without the last one is cut off. */
export function chunksOf(bytes: Bytes): PngChunk[] {
  const chunks: PngChunk[] = []
  for (let at = PNG_SIGNATURE.length; ; ) {
    const head = bytes.read(at, 8)
    const dataAt = at + 8
    const dataEnd = dataAt + head.readUInt32BE(0)
    const chunk = { type: head.toString('latin1', 4), start: at, dataAt, dataEnd, end: dataEnd + 4 }
    if (chunk.end > bytes.size) throw notDecodable('a PNG chunk goes beyond the end')
    chunks.push(chunk)
    if (chunk.type === 'IEND') return chunks
    at = chunk.end
  }
}

export function dataOf(bytes: Bytes, { dataAt, dataEnd }: PngChunk): Buffer {
  return bytes.read(dataAt, dataEnd - dataAt)
}

export function hasRightSum(bytes: Bytes, { start, dataEnd }: PngChunk): boolean {
  const sum = crc32(bytes.read(start + 4, dataEnd - start - 4))
  return bytes.read(dataEnd, 4).readUInt32BE(0) === sum
}

export function writeChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(data.length, 0)
  head.write(type, 4, 'latin1')
  const tail = Buffer.alloc(4)
  tail.writeUInt32BE(crc32(data, crc32(head.subarray(4))), 0)
  return Buffer.concat([head, data, tail])
}
