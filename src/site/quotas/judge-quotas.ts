import { inTransaction, requestSync, type SiteDb } from '../../db/index.ts'
import { authoredBy } from '../audit/author.ts'
import { recordChange } from '../audit/record-change.ts'
import { dayAfter, dayOf } from '../day-totals-table.ts'
import type { Site } from '../site.ts'
import { raiseStatsVersion } from '../totals-table.ts'
import { limitOf, quotaAlertsOf } from '../values.ts'
import { type QuotaName, quotaNames, takeQuotaUses } from './quota-names.ts'
import { judgeQuota, type QuotaState, type QuotaUse } from './quota-rules.ts'
import {
  deleteQuotaStatesBefore,
  quotaStatesOf,
  readStorageUsed,
  sumOfMonth,
  upsertQuotaState,
} from './quota-states-table.ts'

type JudgedSite = Pick<Site, 'db' | 'clock' | 'values' | 'author' | 'auditLog'>

/** `YYYY-MM` in UTC. */
export const monthOf = (at: Date): string => dayOf(at).slice(0, 7)

const counted = { SERVICE_MAX_TRAFFIC: 'trafficBytes', SERVICE_MAX_TRANSFORMS: 'transforms' } as const

/** Whether a quota is set, or was when its state was written. */
export const hasQuotas = ({ quotas, values }: Pick<Site, 'quotas' | 'values'>): boolean =>
  quotas !== undefined || quotaNames.some((name) => limitOf(values, name) !== undefined)

/** Storage is used for longer than a month. */
const monthOfQuota = (name: QuotaName, month: string) => (name === 'SERVICE_MAX_STORAGE' ? '' : month)

/** How much of a quota is used, with what is reserved. */
export async function readQuotaUse(
  { db, clock, values }: Pick<Site, 'db' | 'clock' | 'values'>,
  name: QuotaName,
): Promise<QuotaUse & { reserved: number }> {
  const now = clock.now()
  const value = limitOf(values, name)
  if (name === 'SERVICE_MAX_STORAGE') {
    const { stored, reserved } = await readStorageUsed(db, now)
    return { name, value, used: stored + reserved, reserved, month: '' }
  }
  const month = monthOf(now)
  return { name, value, used: await sumOfMonth(db, counted[name], month), reserved: 0, month }
}

/** A step of each transaction of a change, right before its end: what it changed decides about thresholds. */
export async function judgeChangedQuotas(site: JudgedSite): Promise<void> {
  const names = takeQuotaUses(site.db).filter((name) => limitOf(site.values, name) !== undefined)
  if (names.length > 0) await judgeQuotas(site, { names })
}

/** After a limit or the month has changed. Without a change it only reads. */
export async function judgeAllQuotas(site: Site): Promise<void> {
  const { states } = await decided(site, { names: quotaNames })
  if (states.length > 0)
    await inTransaction(site.db, (db) => judgeQuotas({ ...site, db }, { names: quotaNames }))
}

/** After a request was refused. */
export async function judgeRefusedQuota(site: Site, refused: QuotaName): Promise<void> {
  await inTransaction(site.db, (db) => judgeQuotas({ ...site, db }, { names: [refused], refused }))
}

interface Copied {
  values: Site['values']
  used: Readonly<Record<QuotaName, number>>
  now: Date
}

/** Whether copied states would change by copied uses; reservations are not copied. */
export function isJudgedAnew(known: readonly QuotaState[], { values, used, now }: Copied): boolean {
  const [thresholds, month, at] = [quotaAlertsOf(values), monthOf(now), now.toISOString()]
  const judging = { thresholds, isRefused: false, now: at }
  return quotaNames.some((name) => {
    const use = { name, value: limitOf(values, name), used: used[name], month: monthOfQuota(name, month) }
    return judgeQuota(known, { ...use, ...judging }).states.length > 0
  })
}

interface Judging {
  names: readonly QuotaName[]
  refused?: QuotaName
}

/** Writes states and events. `site.db` must be a transaction, which locks the totals: each threshold is told once. */
async function judgeQuotas(site: JudgedSite, judging: Judging): Promise<void> {
  const { db, clock } = site
  await raiseStatsVersion(db)
  const { states, events } = await decided(site, judging)
  for (const state of states) await upsertQuotaState(db, state)
  if (states.length > 0) await forgetEarlierMonths(db, clock.now())
  if (states.length > 0) requestSync(db)
  for (const { verb, after } of events)
    await recordChange(authoredBy(site, { kind: 'job' }), { verb, target: after.limit, after })
}

async function decided(site: JudgedSite, { names, refused }: Judging) {
  const known = await quotaStatesOf(site.db)
  const thresholds = quotaAlertsOf(site.values)
  const now = site.clock.now().toISOString()
  const decisions = []
  for (const name of names) {
    if (limitOf(site.values, name) === undefined && !known.some((state) => state.name === name)) continue
    const use = await readQuotaUse(site, name)
    decisions.push(judgeQuota(known, { ...use, thresholds, isRefused: name === refused, now }))
  }
  return {
    states: decisions.flatMap((decision): QuotaState[] => decision.states),
    events: decisions.flatMap((decision) => decision.events),
  }
}

const monthsKept = 93

const forgetEarlierMonths = (db: SiteDb, now: Date): Promise<void> =>
  deleteQuotaStatesBefore(db, dayAfter(dayOf(now), -monthsKept).slice(0, 7))
