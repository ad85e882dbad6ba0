import { hash } from 'node:crypto'
import type { SiteTables } from '../../db/index.ts'

export type AuditRow = SiteTables['audit']

/** The hash before the first row. */
export const firstHash = ''

/** The SHA-256 of a row and of the hash before it: a row that was changed, added or left out breaks the chain. */
export const hashOfFields = (previous: string, fields: readonly (string | number | null)[]): string =>
  hash('sha256', JSON.stringify([previous, ...fields]), 'hex')

export const hashOfRow = (previous: string, row: Omit<AuditRow, 'hash'>): string =>
  hashOfFields(previous, [
    row.sequence,
    row.at,
    row.verb,
    row.actor,
    row.userId,
    row.keyId,
    row.address,
    row.target,
    row.before,
    row.after,
  ])
