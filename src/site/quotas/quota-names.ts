import type { SiteDb } from '../../db/index.ts'

/** The limits that have thresholds, states and `SERVICE_QUOTA_ACTION`, in the order of names. */
export const quotaNames = ['SERVICE_MAX_STORAGE', 'SERVICE_MAX_TRAFFIC', 'SERVICE_MAX_TRANSFORMS'] as const

export type QuotaName = (typeof quotaNames)[number]

export const isQuotaName = (name: unknown): name is QuotaName =>
  (quotaNames as readonly unknown[]).includes(name)

const uses = new WeakMap<SiteDb, Set<QuotaName>>()

/** Called where the use of a quota changes: the transaction then decides about its thresholds before it commits. */
export function markQuotaUse(db: SiteDb, name: QuotaName): void {
  if (!db.isTransaction) return
  const marked = uses.get(db) ?? new Set()
  uses.set(db, marked.add(name))
}

/** The quotas whose use the transaction has changed, once. */
export function takeQuotaUses(db: SiteDb): readonly QuotaName[] {
  const marked = [...(uses.get(db) ?? [])]
  uses.delete(db)
  return marked
}
