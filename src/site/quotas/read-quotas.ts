import type { Site } from '../site.ts'
import { limitOf, type QuotaAction, quotaActionOf, quotaAlertsOf, type SiteValues } from '../values.ts'
import { quotasOfText, suspensionsOf, textOfQuotas } from './closed-sites.ts'
import { readQuotaUse } from './judge-quotas.ts'
import { type QuotaName, quotaNames } from './quota-names.ts'
import { quotaStatesOf } from './quota-states-table.ts'

export const quotaStates = ['ok', 'alert', 'reached', 'suspended'] as const

export interface Quota {
  name: QuotaName
  value: number
  /** Without what is reserved. */
  used: number
  reserved: number
  /** Of both, rounded down. */
  percent: number
  state: (typeof quotaStates)[number]
}

export interface Quotas {
  action: QuotaAction
  /** When the site will be suspended, if nothing changes. */
  suspendsAt: Date | undefined
  suspendedAt: Date | undefined
  /** Those that are set, by name. */
  quotas: readonly Quota[]
}

/** Of a site that is not installed. */
export const emptyQuotas = (values: SiteValues): Quotas => ({
  action: quotaActionOf(values),
  suspendsAt: undefined,
  suspendedAt: undefined,
  quotas: quotaNames.flatMap((name): Quota[] => {
    const value = limitOf(values, name)
    return value === undefined ? [] : [{ name, value, used: 0, reserved: 0, percent: 0, state: 'ok' }]
  }),
})

interface Share {
  value: number
  used: number
  isReached: boolean
  isSuspended: boolean
  /** The lowest threshold, in percent. */
  lowest: number
}

function stateOf({ value, used, isReached, isSuspended, lowest }: Share): Quota['state'] {
  if (isSuspended) return 'suspended'
  if (isReached || used >= value) return 'reached'
  return used * 100 >= lowest * value ? 'alert' : 'ok'
}

/** The quotas of a site as its rows are now. */
export async function readQuotas(site: Site): Promise<Quotas> {
  const { db, values, clock } = site
  const now = clock.now()
  const states = await quotaStatesOf(db)
  const suspensions = suspensionsOf({ quotas: quotasOfText(textOfQuotas(states)), values, clock })
  const isSuspended = (name: QuotaName) => suspensions.some((each) => each.name === name && each.at <= now)
  const lowest = quotaAlertsOf(values)[0] ?? 100
  const quotas: Quota[] = []
  for (const name of quotaNames) {
    if (limitOf(values, name) === undefined) continue
    const { value = 0, used, reserved, month } = await readQuotaUse(site, name)
    const wasReached = states.some(
      (state) => state.name === name && state.month === month && state.reachedAt !== null,
    )
    const share = { value, used, isReached: wasReached, isSuspended: isSuspended(name), lowest }
    const percent = Math.floor((used * 100) / value)
    quotas.push({ name, value, used: used - reserved, reserved, percent, state: stateOf(share) })
  }
  const first = suspensions[0]?.at
  const [suspendedAt, suspendsAt] = first && first <= now ? [first, undefined] : [undefined, first]
  return { action: quotaActionOf(values), suspendsAt, suspendedAt, quotas }
}
