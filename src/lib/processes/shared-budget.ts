import { Budget, type BudgetLimits } from '../concurrency/budget.ts'
import { grant, hold } from './hold.ts'
import type { Peer } from './peer.ts'
import type { Processes } from './processes.ts'

/** What one user of a budget has taken. */
export interface SharedAccount extends Disposable {
  /** Counts bytes that were received. False if the first process knows that they exceed the budget. */
  take(bytes: number): boolean
  /**
   * To be awaited before more is received, and at the end with `all`: resolves to false if the budget is exceeded. Undefined
   * if there is nothing to wait for.
   */
  settle(all?: 'all'): Promise<boolean> | undefined
  /** Returns everything; what is taken later is not counted. Disposing does this too. */
  close(): void
}

export interface SharedBudget {
  /** Without a key only the total is limited. */
  open(key: string | undefined): SharedAccount
}

/** A budget of all processes of the server, which the first one keeps. */
export function shareBudget(processes: Processes, name: string, limits: BudgetLimits): SharedBudget {
  const { first } = processes
  if (first) return { open: (key) => accountAt(first, name, key) }
  const budget = new Budget(limits)
  processes.answer(name, async ({ key, bytes }: Question, call) => {
    const account = budget.open(key)
    if (account.take(bytes)) await grant(call, { release: account.close })
  })
  return { open: (key) => ({ ...budget.open(key), settle: () => undefined }) }
}

interface Question {
  key: string | undefined
  bytes: number
}

/** How many bytes a process receives before it asks for them: a quarter of what it has, and within these bounds. */
const leastUnasked = 4_096
const mostUnasked = 262_144

function accountAt(first: Peer, name: string, key: string | undefined): SharedAccount {
  const held: (() => void)[] = []
  let grantedBytes = 0
  let unaskedBytes = 0
  let isRefused = false
  let isClosed = false

  async function askForAll(): Promise<boolean> {
    const bytes = unaskedBytes
    unaskedBytes = 0
    const granted = await hold(first, name, { input: { key, bytes } satisfies Question })
    if (!granted) isRefused = !isClosed
    else if (isClosed) granted.release()
    else {
      held.push(granted.release)
      grantedBytes += bytes
    }
    return !isRefused
  }

  function close(): void {
    isClosed = true
    isRefused = false
    for (const release of held.splice(0)) release()
  }

  return {
    take(bytes) {
      if (!isClosed) unaskedBytes += bytes
      return !isRefused
    },
    settle(all) {
      const least = all ? 1 : Math.min(mostUnasked, Math.max(leastUnasked, grantedBytes / 4))
      return isClosed || unaskedBytes < least ? undefined : askForAll()
    },
    close,
    [Symbol.dispose]: close,
  }
}
