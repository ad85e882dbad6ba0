import { hash, timingSafeEqual } from 'node:crypto'
import { randomHex } from '../lib/ids.ts'

/** 48 hexadecimal digits, of which only the hash is kept. */
export function newDeleteToken(): { token: string; tokenHash: string } {
  const token = randomHex(24)
  return { token, tokenHash: hash('sha256', token) }
}

export function isTokenOf(token: string, tokenHash: string): boolean {
  return timingSafeEqual(hash('sha256', token, 'buffer'), Buffer.from(tokenHash, 'hex'))
}
