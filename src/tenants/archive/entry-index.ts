import { hash } from 'node:crypto'

/** What is known of an entry whose body was read. Sums are their first 64 bits: they find damage, not a forger. */
export interface KnownEntry {
  sizeBytes: number
  hasSha256(hex: string): boolean
  hasMd5(hex: string): boolean
  /** Sets the mark; false if it was set before. */
  mark(mark: EntryMark): boolean
}

export type EntryMark = 'listed' | 'named'
const bits: Record<EntryMark, number> = { listed: 2, named: 4 }
const used = 1

/** Of each slot: two words each of the name's hash, the SHA-256 and the MD5, then the marks. */
const slotWords = 7

/**
 * The entries of an archive by their names. An archive may have millions, so an entry takes 36 bytes, and neither names nor
 * sums are kept as texts.
 */
export class EntryIndex {
  #words = new Uint32Array(1_024 * slotWords)
  #sizes = new Float64Array(1_024)
  #count = 0

  get count(): number {
    return this.#count
  }

  /** False if there is an entry of this name. */
  add(name: string, { sizeBytes, sha256, md5 }: { sizeBytes: number; sha256: Buffer; md5: Buffer }): boolean {
    if (this.#count * 2 >= this.#sizes.length) this.#grow()
    const [high, low] = wordsOf(hash('sha256', name, 'buffer'))
    const slot = this.#slotOf(high, low)
    if (this.#isUsed(slot)) return false
    this.#words.set([high, low, ...wordsOf(sha256), ...wordsOf(md5), used], slot * slotWords)
    this.#sizes[slot] = sizeBytes
    this.#count += 1
    return true
  }

  find(name: string): KnownEntry | undefined {
    const slot = this.#slotOf(...wordsOf(hash('sha256', name, 'buffer')))
    if (!this.#isUsed(slot)) return undefined
    const words = this.#words
    const at = slot * slotWords
    const hasWords = (hex: string, offset: number) => {
      const [high, low] = wordsOf(Buffer.from(hex.slice(0, 16).padEnd(16, '0'), 'hex'))
      return words[at + offset] === high && words[at + offset + 1] === low
    }
    return {
      sizeBytes: this.#sizes[slot] ?? 0,
      hasSha256: (hex) => hasWords(hex, 2),
      hasMd5: (hex) => hasWords(hex, 4),
      mark(mark) {
        const marks = words[at + 6] ?? 0
        words[at + 6] = marks | bits[mark]
        return (marks & bits[mark]) === 0
      },
    }
  }

  has(name: string, mark: EntryMark): boolean {
    const slot = this.#slotOf(...wordsOf(hash('sha256', name, 'buffer')))
    return ((this.#words[slot * slotWords + 6] ?? 0) & bits[mark]) !== 0
  }

  #isUsed(slot: number): boolean {
    return this.#words[slot * slotWords + 6] !== 0
  }

  /** The slot of this name, or the free one that it would get. */
  #slotOf(high: number, low: number): number {
    const slots = this.#sizes.length
    for (let slot = low % slots; ; slot = (slot + 1) % slots) {
      const at = slot * slotWords
      if (!this.#isUsed(slot) || (this.#words[at] === high && this.#words[at + 1] === low)) return slot
    }
  }

  #grow(): void {
    const [words, sizes] = [this.#words, this.#sizes]
    this.#words = new Uint32Array(words.length * 2)
    this.#sizes = new Float64Array(sizes.length * 2)
    for (let old = 0; old < sizes.length; old += 1) {
      const at = old * slotWords
      if (words[at + 6] === 0) continue
      const slot = this.#slotOf(words[at] ?? 0, words[at + 1] ?? 0)
      this.#words.set(words.subarray(at, at + slotWords), slot * slotWords)
      this.#sizes[slot] = sizes[old] ?? 0
    }
  }
}

const wordsOf = (bytes: Buffer): [number, number] => [bytes.readUInt32BE(0), bytes.readUInt32BE(4)]
