/** Bytes of small files that were asked for lately. Whether they may still be told is not decided here. */
export interface HotCache {
  readonly mostEntryBytes: number
  get(key: string): Buffer | undefined
  put(key: string, bytes: Buffer): void
}

/** What an entry costs beside its bytes. */
const entryBytes = 512

export function createHotCache({ mostBytes = 32 * 1_048_576, mostEntryBytes = 65_536 } = {}): HotCache {
  const entries = new Map<string, Buffer>()
  let heldBytes = 0

  function drop(key: string, bytes: Buffer): void {
    entries.delete(key)
    heldBytes -= bytes.length + entryBytes
  }

  return {
    mostEntryBytes,
    get(key) {
      const bytes = entries.get(key)
      if (!bytes) return undefined
      // Youngest last, so that the oldest are found first.
      entries.delete(key)
      entries.set(key, bytes)
      return bytes
    },
    put(key, bytes) {
      if (bytes.length > mostEntryBytes) return
      const former = entries.get(key)
      if (former) drop(key, former)
      entries.set(key, alone(bytes))
      heldBytes += bytes.length + entryBytes
      for (const [oldest, held] of entries) {
        if (heldBytes <= mostBytes) return
        drop(oldest, held)
      }
    },
  }
}

/** A small buffer may be a piece of a larger one, which would be held along with it. */
function alone(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const copy = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(copy)
  return copy
}
