import type { SiteTables } from '../../db/index.ts'
import type { QuotaName } from './quota-names.ts'

export type QuotaState = Omit<SiteTables['quotaState'], 'name'> & { name: QuotaName }

/** A quota as it is now. */
export interface QuotaUse {
  name: QuotaName
  /** Undefined if the quota is not set. */
  value: number | undefined
  used: number
  /** `YYYY-MM` in UTC; the empty text for storage, which has no month. */
  month: string
}

export interface QuotaEvent {
  verb: 'quota.alert' | 'quota.reached' | 'quota.cleared'
  after: { limit: QuotaName; percent?: number; value: number | null; used: number }
}

interface Judging extends QuotaUse {
  /** In percent, rising. */
  thresholds: readonly number[]
  /** Whether a request was refused for it. */
  isRefused: boolean
  /** ISO 8601. */
  now: string
}

/**
 * What follows from the use of a quota: the states that change, and the events that the log gets. The states of earlier months
 * are kept, so that a clock that was set back does not repeat their alerts.
 */
export function judgeQuota(
  known: readonly QuotaState[],
  judging: Judging,
): { states: QuotaState[]; events: QuotaEvent[] } {
  const events: QuotaEvent[] = []
  const states: QuotaState[] = []
  const { name, value, month } = judging
  for (const state of known.filter((state) => state.name === name)) {
    if (state.month === month && value !== undefined) continue
    if (state.reachedAt !== null) events.push(eventOf('quota.cleared', judging))
    const isRemembered = state.month !== month && state.percent > 0
    const percent = isRemembered ? state.percent : 0
    if (state.reachedAt !== null || state.overAt !== null || state.percent !== percent)
      states.push({ ...state, percent, reachedAt: null, overAt: null })
  }
  if (value === undefined) return { states, events }
  const before = known.find((state) => state.name === name && state.month === month)
  const after = stateAfter(before ?? { name, month, ...nothingTold, value }, { ...judging, value }, events)
  const isChanged = before
    ? stateFields.some((field) => before[field] !== after[field])
    : after.percent > 0 || after.reachedAt !== null
  if (isChanged) states.push(after)
  return { states, events }
}

const nothingTold = { percent: 0, reachedAt: null, overAt: null, mails: '' } as const

/** The value is compared too: a larger one that the use fits ends the state. */
const stateFields = ['percent', 'value', 'reachedAt', 'overAt', 'mails'] as const

function stateAfter(
  before: QuotaState,
  judging: Judging & { value: number },
  events: QuotaEvent[],
): QuotaState {
  const { value, used, thresholds, isRefused, now } = judging
  const reached = thresholds.filter((percent) => used * 100 >= percent * value)
  const told = reached.filter((percent) => percent > before.percent)
  for (const percent of told) events.push(eventOf('quota.alert', judging, percent))

  const isFull = used >= value
  const isBelow = used * 100 < (thresholds[0] ?? 100) * value
  const isOver = isFull || isRefused
  const hasCleared = before.reachedAt !== null && !isOver && (isBelow || value !== before.value)
  if (hasCleared) events.push(eventOf('quota.cleared', judging))
  const since = hasCleared ? null : before.reachedAt
  if (since === null && isOver) events.push(eventOf('quota.reached', judging))
  const reachedAt = since ?? (isOver ? now : null)

  return {
    ...before,
    percent: reached.at(-1) ?? 0,
    value,
    reachedAt,
    overAt: suspends(judging) ? (before.overAt ?? now) : null,
    mails: [before.mails, ...told].filter((part) => part !== '').join(),
  }
}

/** Storage may be full, but not over its value. Traffic that is used up is refused. */
const suspends = ({ name, value, used }: Judging & { value: number }): boolean =>
  name === 'SERVICE_MAX_STORAGE' ? used > value : name === 'SERVICE_MAX_TRAFFIC' && used >= value

const eventOf = (verb: QuotaEvent['verb'], { name, value, used }: Judging, percent?: number): QuotaEvent => ({
  verb,
  after: { limit: name, ...(percent !== undefined && { percent }), value: value ?? null, used },
})
