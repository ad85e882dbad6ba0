import type { SiteValues } from '../values.ts'

const dayMs = 24 * 60 * 60_000

/** How long the audit log, and the addresses that it and others hold, are kept. Undefined if for ever. */
export const auditKeptMs = (values: SiteValues): number | undefined =>
  Number(values.get('SERVICE_AUDIT_DAYS') ?? 365) * dayMs || undefined
