import { hash, timingSafeEqual } from 'node:crypto'
import { randomHex } from '../../../lib/ids.ts'

/** 48 hexadecimal digits; only the hash is stored. */
export function newDeleteToken(): { token: string; tokenHash: string } {
  const token = randomHex(24)
  return { token, tokenHash: hash('sha256', token) }
}

const maxTokens = 10

/** A duplicate upload adds a token to its file; the oldest tokens are dropped. */
export const withToken = (tokenHashes: string, tokenHash: string): string =>
  [...tokenHashes.split(' '), tokenHash].slice(-maxTokens).join(' ')

export function isTokenOf(token: string, tokenHashes: string): boolean {
  const given = hash('sha256', token, 'buffer')
  return tokenHashes.split(' ').some((each) => timingSafeEqual(given, Buffer.from(each, 'hex')))
}
