import { type StoreKind, startTestApp, type TestApp } from '../harness.ts'

/** The servers of one installation: one on SQLite, two on PostgreSQL. */
export interface Servers extends AsyncDisposable {
  all: TestApp[]
  first: TestApp
  /** Calls the servers in turn. */
  call: TestApp['call']
}

export async function startServers(store: StoreKind, count = store === 'sqlite' ? 1 : 2): Promise<Servers> {
  await using undo = new AsyncDisposableStack()
  const first = undo.use(await startTestApp({ store }))
  const all = [first]
  while (all.length < count) all.push(undo.use(await startTestApp({ store, beside: first })))
  let turn = 0
  const owned = undo.move()
  return {
    all,
    first,
    call(...words) {
      turn += 1
      return (all[turn % all.length] as TestApp).call(...words)
    },
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  }
}

/** How often each status came. */
export function tally(answers: readonly { status: number }[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

export const times = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index))
