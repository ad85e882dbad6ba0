import { notDecodable } from '../errors.ts'
import type { Bytes } from './bytes.ts'

/** Reads big-endian numbers and text one after the other, and never beyond its end. */
export class ByteCursor {
  readonly #bytes: Bytes
  readonly #end: number
  #at: number

  constructor(bytes: Bytes, at: number, end: number) {
    this.#bytes = bytes
    this.#at = at
    this.#end = end
  }

  take(width: number): number {
    if (width === 0) return 0
    const bytes = this.#step(width)
    return width === 8 ? Number(bytes.readBigUInt64BE(0)) : bytes.readUIntBE(0, width)
  }

  text(length: number): string {
    return this.#step(length).toString('latin1')
  }

  /** Up to a zero byte, or to the end. */
  string(): string {
    const rest = this.#bytes.read(this.#at, this.#end - this.#at)
    const length = rest.indexOf(0)
    this.#at += length === -1 ? rest.length : length + 1
    return rest.toString('latin1', 0, length === -1 ? rest.length : length)
  }

  #step(length: number): Buffer {
    if (this.#at + length > this.#end) throw notDecodable('a box is truncated')
    this.#at += length
    return this.#bytes.read(this.#at - length, length)
  }
}
