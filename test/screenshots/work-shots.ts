import type { App } from '../../src/app.ts'
import type { Verdict } from '../../src/maintenance/index.ts'
import { longest } from './longest.ts'

/** Work in every state. What runs is that of a server elsewhere, so that no runner of this one takes it. */
export async function seedWork({ control }: Pick<App, 'control'>): Promise<void> {
  const now = control.clock.now().getTime()
  const at = (minutesAgo: number) => new Date(now - minutesAgo * 60_000).toISOString()
  const row = (id: string, kind: 'move' | 'backup' | 'verify' | 'health', minutesAgo: number) => ({
    id,
    kind,
    target: 'harbour',
    state: 'done' as const,
    done: 0,
    total: null,
    unit: null,
    rate: null,
    author: JSON.stringify({ kind: 'operator', id: 'g', name: 'grace' }),
    cancelledBy: null,
    tries: 1,
    losses: 0,
    leasedBy: null,
    leasedUntil: null,
    result: null,
    error: null,
    createdAt: at(minutesAgo),
    startedAt: at(minutesAgo),
    finishedAt: at(minutesAgo - 2),
  })
  const running = {
    state: 'running' as const,
    leasedBy: '1@elsewhere',
    leasedUntil: at(-24 * 60),
    finishedAt: null,
  }
  const moved = { isMoved: true, files: 3_120, rows: 8_411, heldMs: 1_240, missing: [], isCleaned: true }
  const movingNow = { done: 5_600_000_000, total: 12_400_000_000, unit: 'bytes' as const, rate: 52_000_000 }
  await control.store.control
    .insertInto('work')
    .values([
      { ...row('moving', 'move', 4), ...running, ...movingNow, target: 'studio-07' },
      { ...row('moved', 'move', 90), target: 'studio-02', result: JSON.stringify(moved) },
      {
        ...row('stopped', 'move', 200),
        target: longest.id,
        state: 'failed',
        error:
          'Nothing was moved, and both copies are kept. Restore the bytes from a backup or delete these files, then repeat the move.\nfiles/x1/x1Pq77.jpg is missing',
      },
      { ...row('given-up', 'move', 3_000), target: 'studio-11', state: 'cancelled' },
      {
        ...row('backing', 'backup', 1),
        ...running,
        target: 'now',
        done: 3e9,
        total: 9e9,
        unit: 'bytes',
        rate: 8e7,
      },
      { ...row('checked', 'health', 30), target: '', result: JSON.stringify({ verdicts }) },
    ])
    .execute()
  await control.store.control
    .insertInto('job')
    .values({
      site: 1,
      dueAt: at(-5),
      token: 4,
      leasedUntil: null,
      failures: 3,
      fault: 'The bucket answers 503 (SlowDown).',
    })
    .onConflict((conflict) =>
      conflict.column('site').doUpdateSet({ failures: 3, fault: 'The bucket answers 503 (SlowDown).' }),
    )
    .execute()
}

const verdicts: Verdict[] = [
  {
    check: 'versions',
    about: 'Node and the database are new enough',
    detail: 'Node 24.1',
    faults: 0,
    warnings: 0,
    repaired: 0,
    findings: [],
  },
  {
    check: 'encryption',
    about: 'All encrypted values can be decrypted',
    faults: 0,
    warnings: 0,
    repaired: 0,
    findings: [],
  },
  {
    check: 'bytes',
    about: 'Every file has its bytes, and there are no orphans',
    faults: 1,
    warnings: 0,
    repaired: 0,
    findings: [
      {
        isFault: true,
        tenant: 'harbour',
        key: 'files/x1/x1Pq77gkq0aLw2.jpg',
        says: 'The bytes of this file are missing.',
        todo: 'Restore the file from a backup, or delete it.',
      },
    ],
  },
  {
    check: 'places',
    about: 'Every site is at the location that its settings name',
    faults: 0,
    warnings: 1,
    repaired: 0,
    findings: [
      {
        isFault: false,
        tenant: 'studio-07',
        key: 'SERVICE_STORAGE_URL',
        says: "The bytes are not at the location that the tenant's settings name.",
        todo: 'Run: tenants move --id studio-07, or change the settings.',
      },
    ],
  },
]
