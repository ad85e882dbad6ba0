interface Block {
  /** In ascending order. */
  keys: string[]
  /** Where the bytes of each key end. */
  ends: number[]
  /** Never written to again: a response may still be sending them. */
  bytes: Buffer
}

/** Small enough to copy for one change, large enough to send a long list in few pieces. */
const mostKeys = 2_048

/** Bytes under keys, in the order of the keys. A change copies one block, and the others stay as they are. */
export class KeyedBytes {
  #blocks: Block[] = []

  /** All bytes, one after the other. */
  chunks(): Buffer[] {
    return this.#blocks.map((block) => block.bytes)
  }

  /** Sets the bytes of keys; `undefined` deletes a key. */
  apply(changes: ReadonlyMap<string, Buffer | undefined>): void {
    const keys = [...changes.keys()].sort(ascending)
    const blocks = this.#blocks.length > 0 ? this.#blocks : [emptyBlock]
    let next = 0
    this.#blocks = blocks.flatMap((block, index) => {
      const lastKey = index === blocks.length - 1 ? undefined : block.keys.at(-1)
      const first = next
      while (next < keys.length && (lastKey === undefined || (keys[next] as string) <= lastKey)) next += 1
      return first === next ? [block] : changedBlocks(block, keys.slice(first, next), changes)
    })
  }
}

const emptyBlock: Block = { keys: [], ends: [], bytes: Buffer.alloc(0) }

const ascending = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0)

function changedBlocks(
  block: Block,
  changed: readonly string[],
  changes: ReadonlyMap<string, Buffer | undefined>,
): Block[] {
  const entries = new Map<string, Buffer | undefined>(entriesOf(block))
  const hasNewKey = changed.some((key) => !entries.has(key))
  for (const key of changed) entries.set(key, changes.get(key))
  const kept = [...entries].filter((entry): entry is [string, Buffer] => entry[1] !== undefined)
  if (hasNewKey) kept.sort(([a], [b]) => ascending(a, b))
  const count = Math.ceil(kept.length / mostKeys)
  const size = Math.ceil(kept.length / count)
  return Array.from({ length: count }, (_, index) => blockOf(kept.slice(index * size, (index + 1) * size)))
}

const entriesOf = ({ keys, ends, bytes }: Block): [string, Buffer][] =>
  keys.map((key, index) => [key, bytes.subarray(ends[index - 1] ?? 0, ends[index])])

function blockOf(entries: readonly (readonly [string, Buffer])[]): Block {
  let end = 0
  const ends = entries.map(([, bytes]) => {
    end += bytes.length
    return end
  })
  return { keys: entries.map(([key]) => key), ends, bytes: Buffer.concat(entries.map(([, bytes]) => bytes)) }
}
