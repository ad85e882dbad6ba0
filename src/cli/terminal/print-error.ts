import { Refusal } from '../../lib/refusal.ts'
import type { Terminal } from './terminal.ts'
import { UsageFault } from './usage-fault.ts'

/** Prints the error on standard error and returns the exit code: 2 for wrong usage, else 1. */
export function printError(err: Terminal, error: unknown, isDebug: boolean): 1 | 2 {
  if (error instanceof UsageFault) {
    for (const line of error.list) err.print(err.paint('red', line))
    if (error.help !== undefined) err.print(`See ${err.paint('bold', error.help)}`)
    return 2
  }
  if (error instanceof Refusal) printRefusal(err, error)
  else err.print(err.paint('red', `Unexpected error: ${messageOf(error)}`))
  if (isDebug && error instanceof Error) {
    err.print(`${error.stack}${error.cause === undefined ? '' : `\nCause: ${error.cause}`}`)
  }
  return 1
}

function printRefusal(err: Terminal, { kind, message, list, cause }: Refusal): void {
  // Some messages are the list joined into one line: then print only the list.
  const isTheList = message === list.join('; ')
  if (!isTheList) err.print(err.paint('red', message))
  for (const line of list) err.print(isTheList ? err.paint('red', line) : `  ${line}`)
  // Operators read this, so it includes the cause. Callers of the API get only the message.
  if (kind === 'unavailable' && cause !== undefined) err.print(`  Cause: ${causeOf(cause)}`)
}

/** Node names no cause for an address with several IP addresses, but lists one for each. */
const causeOf = (cause: unknown): string =>
  cause instanceof AggregateError ? cause.errors.map(messageOf).join('; ') : messageOf(cause)

/** The error's message on one line. */
export const messageOf = (error: unknown): string =>
  (error instanceof Error ? error.message || error.name : String(error)).replaceAll(/\s+/g, ' ').trim()
