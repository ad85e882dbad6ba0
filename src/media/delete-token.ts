import { hash, timingSafeEqual } from 'node:crypto'
import { randomHex } from '../lib/ids.ts'

/** 48 hexadecimal digits, of which only the hash is kept. */
export function newDeleteToken(): { token: string; tokenHash: string } {
  const token = randomHex(24)
  return { token, tokenHash: hash('sha256', token) }
}

const mostTokens = 10

/** A file that is answered again has several tokens; the oldest go when there are too many. */
export const withToken = (tokenHashes: string, tokenHash: string): string =>
  [...tokenHashes.split(' '), tokenHash].slice(-mostTokens).join(' ')

export function isTokenOf(token: string, tokenHashes: string): boolean {
  const given = hash('sha256', token, 'buffer')
  return tokenHashes.split(' ').some((each) => timingSafeEqual(given, Buffer.from(each, 'hex')))
}
