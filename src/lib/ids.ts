import { randomBytes, randomFillSync } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Random letters and digits, each equally likely. */
export function randomId(length = 12): string {
  let id = ''
  while (id.length < length) {
    const byte = nextByte()
    // The bytes beyond four alphabets would make the first letters more likely.
    if (byte < 4 * ALPHABET.length) id += ALPHABET.charAt(byte % ALPHABET.length)
  }
  return id
}

const pool = new Uint8Array(4_096)
let used = pool.length

/** Random bytes are drawn many at once, since every request takes an id. A used one is erased. */
function nextByte(): number {
  if (used === pool.length) {
    randomFillSync(pool)
    used = 0
  }
  const byte = pool[used] ?? 0
  pool[used] = 0
  used += 1
  return byte
}

/** Letters and digits with the entropy of this many random bytes. */
export function randomSecret(bytes = 32): string {
  return randomId(Math.ceil((bytes * 8) / Math.log2(ALPHABET.length)))
}

export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}

/** The form of what `randomId` makes, and of ids from other systems. */
export const idForm = '^[A-Za-z0-9]{1,64}$'

/** Whether a text can be an id. No other text names anything, and PostgreSQL refuses some characters (NUL). */
export const isId = (text: string): boolean => idPattern.test(text)

const idPattern = new RegExp(idForm)
