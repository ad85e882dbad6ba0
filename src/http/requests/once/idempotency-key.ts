import type { IncomingHttpHeaders } from 'node:http'
import { type BrokenRule, broken } from '../../../lib/faults.ts'

export type ReadIdempotencyKey = { key: string | undefined } | { fault: BrokenRule }

/** Visible ASCII. The documents have these limits from here. */
export const idempotencyKeyForm = { minLength: 1, maxLength: 255, pattern: '^[!-~]+$' }

const { minLength, maxLength, pattern } = idempotencyKeyForm
const form = new RegExp(pattern)

/** `key` is undefined if the header is missing. */
export function readIdempotencyKey({ 'idempotency-key': key }: IncomingHttpHeaders): ReadIdempotencyKey {
  if (key === undefined) return { key }
  if (typeof key === 'string' && key.length <= maxLength && form.test(key)) return { key }
  return { fault: broken('idempotencyKey', { least: minLength, most: maxLength }) }
}
