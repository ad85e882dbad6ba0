/** Each reads the text of one setting, or throws an error that completes the sentence "NAME: …". */
import { isIP } from 'node:net'
import { isAbsolute } from 'node:path'
import { isCidr } from './net/addresses.ts'
import { normaliseHostname } from './net/hosts.ts'
import { parseSize, parseWholeNumber } from './sizes.ts'

export const asText = (value: string): string => value

export function parseSwitch(value: string): boolean {
  if (value !== '0' && value !== '1') throw new Error(`must be 0 or 1, not "${value}"`)
  return value === '1'
}

export function wholeNumberFrom(least: number, most: number): (value: string) => number {
  return (value) => {
    const number = parseWholeNumber(value)
    if (number === undefined || number < least || number > most)
      throw new Error(`must be a whole number from ${least} to ${most}, not "${value}"`)
    return number
  }
}

const mostProcesses = 64
const parseCount = wholeNumberFrom(1, mostProcesses)

export const parseProcesses = (value: string): number | 'auto' => {
  if (value === 'auto') return value
  try {
    return parseCount(value)
  } catch {
    throw new Error(`must be a whole number from 1 to ${mostProcesses}, or auto, not "${value}"`)
  }
}

export function parseBytes(value: string): number {
  const bytes = parseSize(value)
  if (!bytes) throw new Error(`must be a number of bytes such as 500000, 20M or 1G, not "${value}"`)
  return bytes
}

export function oneOf<const Word extends string>(
  words: readonly Word[],
  said: string,
): (value: string) => Word {
  return (value) => {
    const word = words.find((known) => known === value)
    if (word === undefined) throw new Error(`must be ${said}, not "${value}"`)
    return word
  }
}

export function listOf<T>(parse: (entry: string) => T): (value: string) => T[] {
  return (value) => value.split(',').map((entry) => parse(entry.trim()))
}

export function parsePort(value: string): number {
  const port = parseWholeNumber(value)
  if (!port || port > 65_535) throw new Error(`must be a port from 1 to 65535, not "${value}"`)
  return port
}

export interface Listen {
  host: string
  /** Listened on too, where the machine has it. */
  otherHost?: string
  port: number
}

/** Both loopback addresses: `localhost` leads to either. */
export const usualListen: Listen = { host: '127.0.0.1', otherHost: '::1', port: 8080 }

export function parseListen(value: string): Listen {
  const [, bracketed, plain, port] = /^(?:\[([0-9a-fA-F:.]+)\]|([^\s:[\]]*)):(\d+)$/.exec(value) ?? []
  const host = bracketed ?? (plain || '127.0.0.1')
  if (port === undefined || (isIP(host) === 0 && normaliseHostname(host) === undefined))
    throw new Error(`must be host:port, not "${value}"`)
  return { host, port: parsePort(port) }
}

export function parseHostname(value: string): string {
  const hostname = normaliseHostname(value)
  if (hostname === undefined) throw new Error(`must be a DNS name, not "${value}"`)
  return hostname
}

export function parseName(value: string): string {
  if (!/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/.test(value))
    throw new Error(`must be a name of A-Z a-z 0-9 _ -, not "${value}"`)
  return value
}

const shortestPassphrase = 8

/** The message does not repeat the value. */
export function parsePassphrase(value: string): string {
  if ([...value].length < shortestPassphrase)
    throw new Error(`must have at least ${shortestPassphrase} characters`)
  return value
}

export function parseRange(value: string): string {
  if (!isCidr(value)) throw new Error(`must be ranges like 10.0.0.0/8, not "${value}"`)
  return value
}

export function parseDnsServer(value: string): string {
  const [, bracketed, plain, port] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(value) ?? []
  const isAddress = isIP(value) !== 0 || isIP(plain ?? '') === 4 || isIP(bracketed ?? '') === 6
  if (!isAddress || value.includes('%'))
    throw new Error(`must be addresses like 192.0.2.53 or [2001:db8::53]:5353, not "${value}"`)
  if (isIP(value) === 0 && port !== undefined) parsePort(port)
  return value
}

/** The error does not repeat the value, which may hold a password. */
export function parseUpstream(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (!isWeb || url.href !== `${url.origin}/`) throw new Error('must be http(s)://host:port and no more')
  return url.origin
}

/** The error does not repeat the value, whose path or query may be a secret. */
export function parsePurgeUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  const isWeb = url?.protocol === 'http:' || url?.protocol === 'https:'
  if (!url || !isWeb || url.username !== '' || url.password !== '' || url.hash !== '')
    throw new Error('must be a URL like https://cache.example.com/purge, without user, password and #')
  return url.href
}

/** The error does not repeat the value. */
export function parseWebhookSecret(value: string): Buffer {
  const [, text = ''] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(value) ?? []
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length < leastWebhookBytes || bytes.toString('base64') !== text)
    throw new Error(`must be whsec_ and the Base64 of at least ${leastWebhookBytes} bytes`)
  return bytes
}

const leastWebhookBytes = 24

export const noPurgeSecret = `SERVICE_PURGE_URL: needs SERVICE_PURGE_SECRET, which is whsec_ and the Base64 of at least ${leastWebhookBytes} bytes`

/** Names the tenant and the file of public bytes to caches. */
export type CacheTagHeader = 'cache-tag' | 'surrogate-key'
export const parseTagHeader: (value: string) => CacheTagHeader = oneOf(
  ['cache-tag', 'surrogate-key'],
  'cache-tag, surrogate-key, or both',
)

interface FfmpegChoice {
  named: string | undefined
  isOff: boolean
}

export function parseFfmpeg(value: string): FfmpegChoice {
  if (value === 'none') return { named: undefined, isOff: true }
  if (!isAbsolute(value)) throw new Error(`must be the whole path of a program or none, not "${value}"`)
  return { named: value, isOff: false }
}

/** The texts of faults do not repeat the value: it may hold a password. */
export function parseSmtpUrl(value: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (!url || !['smtp:', 'smtps:'].includes(url.protocol) || url.hostname === '')
    throw new Error(
      'must be a URL like smtp://user:password@mail.example.com:587 or smtps://mail.example.com',
    )
  const [parameter, ...others] = [...url.searchParams]
  if (!parameter) return value
  if (url.protocol === 'smtps:')
    throw new Error('must have no parameters after smtps://, which is always encrypted')
  const [name, choice] = parameter
  if (others.length > 0 || name !== 'starttls' || !['required', 'optional'].includes(choice))
    throw new Error('may end in ?starttls=required or ?starttls=optional, and in no other parameter')
  return value
}

/** An address, or a name with an address in angle brackets. */
export function parseSender(value: string): string {
  if (!/^(?:[^<>\p{Cc}]*<[^<>@\s]+@[^<>@\s]+>|[^<>@\s]+@[^<>@\s]+)$/u.test(value))
    throw new Error(
      `must be an address like media@example.com or "Media <media@example.com>", not "${value}"`,
    )
  return value
}
