import { hash } from 'node:crypto'

/** What is known of an entry before its body is read. */
export interface KnownEntry {
  sizeBytes: number
  /** By the manifest. */
  sha256: Buffer
  /** By a row, unless it knows the SHA-256 too. */
  md5: Buffer | undefined
  setSha256(sha256: Buffer): void
  setMd5(md5: Buffer): void
  /** Sets the mark; false if it was set before. */
  mark(mark: EntryMark): boolean
}

export type EntryMark = 'listed' | 'named' | 'has-md5'
const bits: Record<EntryMark, number> = { listed: 1, named: 2, 'has-md5': 4 }

/** Of each record: the first half of the name's SHA-256, then the SHA-256 and the MD5 that the body is to have. */
const [sha256At, md5At, recordBytes] = [16, 48, 64]
const firstCapacity = 1_024

/** The entries of an archive by their names. An archive may have millions: neither names nor sums are kept as texts. */
export class EntryIndex {
  #records = Buffer.alloc(firstCapacity * recordBytes)
  #sizes = new Float64Array(firstCapacity)
  #marks = new Uint8Array(firstCapacity)
  /** By the name's hash, the number of a record plus one; 0 is free. */
  #slots = new Uint32Array(firstCapacity * 2)
  #count = 0

  get count(): number {
    return this.#count
  }

  /** False if there is an entry of this name. */
  add(name: string, sizeBytes: number): boolean {
    if (this.#count === this.#sizes.length) this.#grow()
    const nameHash = hashOf(name)
    const slot = this.#slotOf(nameHash)
    if (this.#slots[slot] !== 0) return false
    const at = this.#count * recordBytes
    nameHash.copy(this.#records, at)
    this.#sizes[this.#count] = sizeBytes
    this.#count += 1
    this.#slots[slot] = this.#count
    return true
  }

  find(name: string): KnownEntry | undefined {
    const record = this.#recordOf(name)
    if (record === undefined) return undefined
    const at = record * recordBytes
    const sha256 = this.#records.subarray(at + sha256At, at + md5At)
    const md5 = this.#records.subarray(at + md5At, at + recordBytes)
    const mark = (mark: EntryMark) => {
      const before = this.#marks[record] ?? 0
      this.#marks[record] = before | bits[mark]
      return (before & bits[mark]) === 0
    }
    return {
      sizeBytes: this.#sizes[record] ?? 0,
      sha256,
      md5: ((this.#marks[record] ?? 0) & bits['has-md5']) === 0 ? undefined : md5,
      setSha256: (sum) => void sum.copy(sha256),
      setMd5(sum) {
        sum.copy(md5)
        mark('has-md5')
      },
      mark,
    }
  }

  has(name: string, mark: EntryMark): boolean {
    const record = this.#recordOf(name)
    return record !== undefined && ((this.#marks[record] ?? 0) & bits[mark]) !== 0
  }

  #recordOf(name: string): number | undefined {
    const number = this.#slots[this.#slotOf(hashOf(name))] ?? 0
    return number === 0 ? undefined : number - 1
  }

  /** The slot of this name, or the free one that it would get. Half of the slots are always free. */
  #slotOf(nameHash: Buffer): number {
    const slots = this.#slots
    for (let slot = nameHash.readUInt32BE() % slots.length; ; slot = (slot + 1) % slots.length) {
      const number = slots[slot] ?? 0
      const at = (number - 1) * recordBytes
      if (number === 0 || nameHash.equals(this.#records.subarray(at, at + sha256At))) return slot
    }
  }

  #grow(): void {
    const capacity = this.#sizes.length * 2
    const records = Buffer.alloc(capacity * recordBytes)
    this.#records.copy(records)
    this.#records = records
    this.#sizes = enlarged(this.#sizes, new Float64Array(capacity))
    this.#marks = enlarged(this.#marks, new Uint8Array(capacity))
    this.#slots = new Uint32Array(capacity * 2)
    for (let record = 0; record < this.#count; record += 1) {
      const at = record * recordBytes
      this.#slots[this.#slotOf(records.subarray(at, at + sha256At))] = record + 1
    }
  }
}

function enlarged<T extends Float64Array | Uint8Array>(from: T, into: T): T {
  into.set(from)
  return into
}

const hashOf = (name: string): Buffer => hash('sha256', name, 'buffer').subarray(0, sha256At)
