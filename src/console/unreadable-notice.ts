import { type Html, html } from '../lib/html.ts'
import { banner } from '../ui/parts/states.ts'
import type { Reader } from '../ui/reader.ts'

interface Unreadable {
  tenant?: boolean | undefined
  /** The id of the plan. */
  plan?: string | undefined
  location?: boolean | undefined
}

/** What no key of this installation decrypts, and what to do about it; nothing if all of it can be read. */
export function unreadableNotice(
  { words }: Reader,
  { tenant, plan, location }: Unreadable,
): Html | undefined {
  const reasons = [
    ...(tenant ? [words.unreadableTenant] : []),
    ...(plan === undefined ? [] : [words.unreadablePlan(plan)]),
    ...(location ? [words.unreadableLocation] : []),
  ]
  if (reasons.length === 0) return undefined
  return banner(
    html`${reasons.map((reason) => html`<p>${reason}</p>`)}<p>${words.unreadableHelp}</p>`,
    'danger',
  )
}
