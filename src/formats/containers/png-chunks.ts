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

/** All chunks up to IEND. Throws if there is no IEND: then the file is truncated. */
export function chunksOf(bytes: Bytes): PngChunk[] {
  const chunks: PngChunk[] = []
  for (let at = PNG_SIGNATURE.length; ; ) {
    const chunk = chunkAt(bytes, at)
    if (chunk.end > bytes.size) throw notDecodable('a PNG chunk extends beyond the end of the file')
    chunks.push(chunk)
    if (chunk.type === 'IEND') return chunks
    at = chunk.end
  }
}

/** Chunks after IEND, which metadata readers still read; up to the first bytes that are not a chunk. */
export function chunksAfterEnd(bytes: Bytes): PngChunk[] {
  const chunks: PngChunk[] = []
  for (let at = chunksOf(bytes).at(-1)?.end ?? bytes.size; at + 12 <= bytes.size; ) {
    const chunk = chunkAt(bytes, at)
    if (chunk.end > bytes.size || !/^[A-Za-z]{4}$/.test(chunk.type)) break
    chunks.push(chunk)
    at = chunk.end
  }
  return chunks
}

export function dataOf(bytes: Bytes, { dataAt, dataEnd }: PngChunk): Buffer {
  return bytes.read(dataAt, dataEnd - dataAt)
}

function chunkAt(bytes: Bytes, start: number): PngChunk {
  const head = bytes.read(start, 8)
  const dataAt = start + 8
  const dataEnd = dataAt + head.readUInt32BE(0)
  return { type: head.toString('latin1', 4), start, dataAt, dataEnd, end: dataEnd + 4 }
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
