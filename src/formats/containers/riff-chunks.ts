import { notDecodable } from '../errors.ts'
import type { Bytes } from './bytes.ts'

export interface RiffChunk {
  type: string
  start: number
  dataAt: number
  dataEnd: number
  /** After the padding to an even length. */
  end: number
}

/** The end of a RIFF file by its declared length, which is even. */
export function endOfRiff(bytes: Bytes): number {
  const claimed = 8 + bytes.read(4, 4).readUInt32LE(0)
  if (claimed > bytes.size) throw notDecodable('the file is shorter than its declared length')
  return Math.min(claimed + (claimed % 2), bytes.size)
}

/** The chunks of a RIFF file. Bytes after its declared length are ignored. */
export const riffChunksOf = (bytes: Bytes): RiffChunk[] => riffChunksIn(bytes, 12, endOfRiff(bytes))

/** The chunks in a range; a frame of an animation contains chunks too. */
export function riffChunksIn(bytes: Bytes, from: number, claimed: number): RiffChunk[] {
  const chunks: RiffChunk[] = []
  for (let at = from; at + 8 <= claimed; ) {
    const head = bytes.read(at, 8)
    const dataAt = at + 8
    const dataEnd = dataAt + head.readUInt32LE(4)
    if (dataEnd > claimed) throw notDecodable('a RIFF chunk extends beyond the end')
    const end = Math.min(dataEnd + (dataEnd % 2), claimed)
    chunks.push({ type: head.toString('latin1', 0, 4), start: at, dataAt, dataEnd, end })
    at = dataEnd + (dataEnd % 2)
  }
  return chunks
}

export function writeRiffChunk(type: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}
