import { LruMap } from '../../lib/lru.ts'
import { dayMs, dayOf } from '../day-totals-table.ts'
import type { Site } from '../site.ts'
import { limitOf, quotaActionOf, quotaGraceDaysOf } from '../values.ts'
import type { QuotaName } from './quota-names.ts'
import type { QuotaState } from './quota-rules.ts'

/** The text that goes into the control row; null if there is nothing to know. */
export function textOfQuotas(states: readonly QuotaState[]): string | null {
  const known = states.filter(
    ({ percent, reachedAt, mails }) => percent > 0 || reachedAt !== null || mails !== '',
  )
  return known.length === 0 ? null : JSON.stringify(known)
}

const parsed = new LruMap<string, readonly QuotaState[]>(1_000)

/** The same text is the same object: a site is made anew only when something has changed. */
export function quotasOfText(text: string | null): readonly QuotaState[] | undefined {
  if (text === null) return undefined
  const known = parsed.get(text) ?? (JSON.parse(text) as QuotaState[])
  parsed.set(text, known)
  return known
}

type ClosableSite = Pick<Site, 'quotas' | 'values' | 'clock'>

/** The states that count now: of storage, and of this month. */
export function currentQuotas({ quotas = [], values, clock }: ClosableSite): QuotaState[] {
  const today = dayOf(clock.now())
  return quotas.filter(({ name, month }) => today.startsWith(month) && limitOf(values, name) !== undefined)
}

/** Whether no more bytes may be sent this month. Judged at each request, because the month may have ended. */
export function isTrafficUsedUp(site: ClosableSite): boolean {
  if (!site.quotas || quotaActionOf(site.values) === 'alert') return false
  return currentQuotas(site).some(({ name, overAt }) => name === 'SERVICE_MAX_TRAFFIC' && overAt !== null)
}

export interface Suspension {
  name: QuotaName
  at: Date
}

/** Which quotas suspend the site, and from when on. The first one comes first. */
export function suspensionsOf(site: ClosableSite): Suspension[] {
  if (!site.quotas || quotaActionOf(site.values) !== 'suspend') return []
  const graceMs = quotaGraceDaysOf(site.values) * dayMs
  return currentQuotas(site)
    .flatMap(({ name, overAt }) =>
      overAt === null ? [] : [{ name, at: new Date(Date.parse(overAt) + graceMs) }],
    )
    .sort((one, other) => one.at.getTime() - other.at.getTime())
}

/** The quota that has suspended the site; undefined if the site is open. */
export function suspendedBy(site: ClosableSite): QuotaName | undefined {
  if (!site.quotas) return undefined
  const [first] = suspensionsOf(site)
  return first && first.at <= site.clock.now() ? first.name : undefined
}

/** Until the first moment of the next month in UTC. */
export function secondsToNextMonth(now: Date): number {
  const next = Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)
  return Math.ceil((next - now.getTime()) / 1_000)
}
