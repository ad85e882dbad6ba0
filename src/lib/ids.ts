import { randomBytes, randomInt } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** Random letters and digits, each equally likely. */
export function randomId(length = 12): string {
  return Array.from({ length }, () => ALPHABET.charAt(randomInt(ALPHABET.length))).join('')
}

/** Letters and digits that are as hard to guess as that many random bytes. */
export function randomSecret(bytes = 32): string {
  return randomId(Math.ceil((bytes * 8) / Math.log2(ALPHABET.length)))
}

export function randomHex(bytes: number): string {
  return randomBytes(bytes).toString('hex')
}
