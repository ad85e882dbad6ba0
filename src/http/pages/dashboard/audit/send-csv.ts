import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import { type AuditFilter, type ListedAudit, walkAudit } from '../../../../site/index.ts'
import { auditFields } from '../../../media-v5/wire.ts'
import type { PageCall } from '../../page-call.ts'

const names = [
  ...['sequence', 'created_at', 'verb', 'actor', 'user_id', 'username', 'key_id', 'address'],
  ...['target', 'before', 'after', 'hash'],
]

const cellsOf = (row: ListedAudit) => [
  ...[row.sequence, row.at, row.verb, row.actor, row.userId, row.username, row.keyId, row.address],
  ...[row.target, JSON.stringify(auditFields(row.before)), JSON.stringify(auditFields(row.after)), row.hash],
]

/** Streams the log as CSV (RFC 4180), newest first, all that the filter lets through. */
export async function sendCsv(call: PageCall, filter: AuditFilter | undefined): Promise<FastifyReply> {
  const { site, request, reply } = call
  reply.headers({
    'content-type': 'text/csv; charset=utf-8',
    'content-disposition': 'attachment; filename="audit.csv"',
    'cache-control': 'private, no-store',
  })
  if (request.method === 'HEAD') return reply.send()
  async function* lines() {
    yield lineOf(names)
    if (!filter) return
    for await (const rows of walkAudit(site, filter)) yield rows.map((row) => lineOf(cellsOf(row))).join('')
  }
  const { promise: closed, resolve: close } = Promise.withResolvers<void>()
  reply.raw.once('close', close)
  reply.send(Readable.from(lines()))
  // The site must stay open until the last line.
  await closed
  return reply
}

const lineOf = (cells: readonly unknown[]) => `${cells.map(cellOf).join(',')}\r\n`

/** A text that begins like a formula gets an apostrophe: spreadsheets would run it. */
function cellOf(value: unknown): string {
  const text = String(value ?? '')
  const inert = /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(inert) ? `"${inert.replaceAll('"', '""')}"` : inert
}
