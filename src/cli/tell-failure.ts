import { Refusal } from '../lib/refusal.ts'
import type { Sheet } from './sheet.ts'
import { UsageFault } from './usage-fault.ts'

/** Says on standard error why nothing was done, and gives the exit code for it. */
export function tellFailure(err: Sheet, error: unknown, isDebug: boolean): 1 | 2 {
  if (error instanceof UsageFault) {
    for (const line of error.list) err.print(err.paint('red', line))
    if (error.help !== undefined) err.print(`See ${err.paint('bold', error.help)}`)
    return 2
  }
  if (error instanceof Refusal) tellRefusal(err, error)
  else err.print(err.paint('red', `Something went wrong: ${messageOf(error)}`))
  if (isDebug && error instanceof Error) {
    err.print(`${error.stack}${error.cause === undefined ? '' : `\nCause: ${error.cause}`}`)
  }
  return 1
}

function tellRefusal(err: Sheet, { message, list }: Refusal): void {
  // Some messages are their list on one line; nothing is told twice.
  const isTheList = message === list.join('; ')
  if (!isTheList) err.print(err.paint('red', message))
  for (const line of list) err.print(isTheList ? err.paint('red', line) : `  ${line}`)
}

/** What an error says, on one line. */
export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message || error.name : String(error)).replaceAll(/\s+/g, ' ').trim()
