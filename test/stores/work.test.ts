import assert from 'node:assert/strict'
import { sql } from 'kysely'
import { test } from 'vitest'
import { type App, openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import {
  actingAs,
  cancelWork,
  insertNewWork,
  listWork,
  readMoveStates,
  readWork,
  type Work,
  type WorkRules,
} from '../../src/control/index.ts'
import { onBothStores } from '../support/harness.ts'
import { freshInstallation } from '../support/tool.ts'
import { until } from '../support/until.ts'
import { recordedWork, workEnded } from '../support/work.ts'

const open = ({ settings }: { settings: Record<string, string> }): Promise<App> =>
  openApp(readConfig({ ...settings, SERVICE_LOG_LEVEL: 'silent' }, '/'))

const ask = ({ control }: App, target: string): Promise<Work> =>
  insertNewWork(actingAs(control, { kind: 'operator', id: 'g', name: 'grace' }), {
    kind: 'move',
    target,
    change: { verb: 'move.started', target },
    checkBeside: () => undefined,
  })

const rulesOf = (run: WorkRules['run']): WorkRules[] => [
  { kind: 'move', run, failed: 'move.failed', cancelled: 'move.cancelled' },
]

onBothStores('long work', (store) => {
  test('is done once, however many runners look for it', async () => {
    await using installation = await freshInstallation(store)
    await using one = await open(installation)
    await using other = await open(installation)
    const done: string[] = []
    const targets = Array.from({ length: 20 }, (_, index) => `t${index}`)
    for (const target of targets) await ask(one, target)
    const run: WorkRules['run'] = async (_control, { target }) => {
      done.push(target)
      await new Promise(setImmediate)
      return { result: {}, change: { verb: 'move.finished', target } }
    }
    await using _first = one.work.start(rulesOf(run))
    await using _second = other.work.start(rulesOf(run))
    const rows = await workEnded({ app: one })
    assert.deepEqual(done.toSorted(), targets.toSorted())
    assert.deepEqual(new Set(rows.map(({ state, tries }) => `${state} ${tries}`)), new Set(['done 1']))
    const finished = (await recordedWork({ app: one })).filter((row) => row.startsWith('move.finished'))
    assert.equal(finished.length, targets.length)
    assert.ok(finished.every((row) => row.endsWith(' operator grace')))
  })

  test('that waits, runs or was given back is cancelled through another server', async () => {
    await using installation = await freshInstallation(store)
    await using one = await open(installation)
    await using other = await open(installation)
    const begun: string[] = []
    // As a move does, it sees at its next step that it is to stop.
    const run: WorkRules['run'] = async (_control, { target }, { signal, onStep }) => {
      begun.push(target)
      for (let step = 0; ; step += 1) {
        signal.throwIfAborted()
        onStep(step, 1_000_000, 'rows')
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
    }
    const running = await ask(one, 'running')
    const waiting = await ask(one, 'waiting')
    const by = actingAs(other.control, { kind: 'operator', id: 'h', name: 'hopper' })
    const cancel = ({ id }: Work) => cancelWork(by, { id, kind: 'move', verb: 'move.cancelled' })
    const stateOf = async ({ id }: Work) => (await readWork(one.control, id)).state
    {
      await using _runner = one.work.start(rulesOf(run))
      await until(async () => (await readWork(one.control, running.id)).done > 0, 'progress is written')
      assert.deepEqual(await readMoveStates(other.control), { running: 2, failed: [] })
      assert.equal((await cancel(waiting)).state, 'cancelled')
      assert.equal((await cancel(running)).state, 'running')
      await until(async () => (await stateOf(running)) === 'cancelled', 'the other process has stopped')
      const given = await ask(one, 'given')
      one.work.wake()
      await until(async () => (await stateOf(given)) === 'running', 'the next is begun')
    }
    const [given] = await listWork(one.control, 'move')
    assert.deepEqual([given?.target, given?.state], ['given', 'waiting'])
    // What it has begun must be undone, so it is not over yet.
    assert.equal((await cancel(given as Work)).state, 'waiting')
    await using _next = other.work.start(rulesOf(run))
    await workEnded({ app: one })
    assert.equal(await stateOf(given as Work), 'cancelled')
    assert.ok(!begun.includes('waiting'))
    const cancelled = (await recordedWork({ app: one })).filter((row) => row.startsWith('move.cancelled'))
    assert.deepEqual(cancelled.toSorted(), [
      'move.cancelled given operator hopper',
      'move.cancelled running operator hopper',
      'move.cancelled waiting operator hopper',
    ])
    await assert.rejects(cancel(running), { code: 'work-ended' })
    await assert.rejects(cancelWork(by, { id: running.id, kind: 'backup', verb: 'move.cancelled' }), {
      code: 'work-not-found',
    })
  })

  test('fails after three servers that worked on it ended, and never goes back in its progress', async () => {
    await using installation = await freshInstallation(store)
    await using app = await open(installation)
    const work = await ask(app, 'cats')
    const rows = app.control.store.control
    const leave = (losses: number) =>
      rows
        .updateTable('work')
        .set({
          state: 'running',
          losses,
          done: 70,
          total: 100,
          leasedBy: '1@elsewhere',
          leasedUntil: '2026-01-01T00:00:00.000Z',
          error: null,
          finishedAt: null,
        })
        .execute()
    const seen: number[] = []
    const run: WorkRules['run'] = async (_control, _work, { onStep }) => {
      onStep(10, 100, 'bytes')
      await until(async () => (await readWork(app.control, work.id)).unit === 'bytes', 'the step is written')
      const { done, total } = await readWork(app.control, work.id)
      seen.push(done, total ?? 0)
      return { result: { files: 1 } }
    }
    await using _runner = app.work.start(rulesOf(run))
    await workEnded({ app })
    await leave(1)
    app.work.wake()
    await workEnded({ app })
    assert.deepEqual(seen.slice(-2), [70, 100])
    const done = await readWork(app.control, work.id)
    assert.deepEqual([done.state, done.done, done.result], ['done', 100, { files: 1 }])

    await leave(2)
    app.work.wake()
    await workEnded({ app })
    const failed = await readWork(app.control, work.id)
    assert.match(`${failed.state} ${failed.error}`, /^failed 3 servers that worked on this ended/)
    assert.deepEqual(await readMoveStates(app.control), { running: 0, failed: ['cats'] })
    assert.deepEqual((await recordedWork({ app })).at(-1), 'move.failed cats operator grace')
    await ask(app, 'cats')
    app.work.wake()
    await workEnded({ app })
    assert.deepEqual(await readMoveStates(app.control), { running: 0, failed: [] }, 'it was repeated')
  })

  test('is cancelled before it begins, or not at all, if both happen at once', async () => {
    await using installation = await freshInstallation(store)
    await using one = await open(installation)
    await using other = await open(installation)
    const done: string[] = []
    const run: WorkRules['run'] = async (_control, { target }) => {
      done.push(target)
      return { result: {}, change: { verb: 'move.finished', target } }
    }
    await using _runner = other.work.start(rulesOf(run))
    for (let round = 0; round < 40; round += 1) {
      const { id } = await ask(one, `t${round}`)
      other.work.wake()
      await cancelWork(one.control, { id, kind: 'move', verb: 'move.cancelled' }).catch((error) =>
        assert.equal(error.code, 'work-ended'),
      )
    }
    const rows = await workEnded({ app: one })
    const of = (state: string) => rows.filter((row) => row.state === state).map(({ target }) => target)
    assert.deepEqual(of('done').toSorted(), done.toSorted())
    assert.equal(of('done').length + of('cancelled').length, 40)
    const ends = (await recordedWork({ app: one })).filter((row) => /^move\.(finished|cancelled)/.test(row))
    assert.equal(ends.length, 40)
  })

  test('is taken again if its end could not be written', async () => {
    await using installation = await freshInstallation(store)
    await using app = await open(installation)
    const rows = app.control.store.control
    const rename = (from: string, to: string) =>
      sql`alter table ${sql.table(from)} rename to ${sql.table(to)}`.execute(rows)
    let runs = 0
    const run: WorkRules['run'] = async (_control, { target }) => {
      runs += 1
      await (runs === 1 ? rename('controlAudit', 'away') : rename('away', 'controlAudit'))
      return { result: {}, change: { verb: 'move.finished', target } }
    }
    await ask(app, 'cats')
    await using _runner = app.work.start([{ kind: 'move', run }])
    await until(async () => {
      // The lease of the first try ends now.
      await rows
        .updateTable('work')
        .set({ leasedUntil: '2026-01-01T00:00:00.000Z' })
        .where('state', '=', 'running')
        .execute()
      app.work.wake()
      const [work] = await listWork(app.control, 'move')
      return work?.finishedAt !== undefined
    }, 'the work has ended')
    const [work] = await listWork(app.control, 'move')
    assert.deepEqual([work?.state, runs], ['done', 2])
    assert.deepEqual((await recordedWork({ app })).at(-1), 'move.finished cats operator grace')
  })

  test('is forgotten behind the newest hundred of its kind', async () => {
    await using installation = await freshInstallation(store)
    await using app = await open(installation)
    const row = {
      kind: 'move',
      state: 'done',
      done: 0,
      author: '{"kind":"job"}',
      tries: 1,
      losses: 0,
      result: '{}',
      startedAt: '2026-01-01T00:00:00.000Z',
      finishedAt: '2026-01-01T00:00:00.000Z',
    } as const
    const times = Array.from({ length: 130 }, (_, index) => new Date(index * 1_000).toISOString())
    const rows = times.map((createdAt, index) => ({
      ...row,
      id: `w${index}`,
      target: `t${index}`,
      createdAt,
    }))
    await app.control.store.control.insertInto('work').values(rows).execute()
    await app.control.store.control
      .updateTable('work')
      .set({ state: 'waiting', finishedAt: null })
      .where('id', '=', 'w0')
      .execute()
    await ask(app, 'newest')
    const kept = await app.control.store.control.selectFrom('work').select('id').execute()
    assert.equal(kept.length, 101, 'a hundred, and what has not ended')
    assert.ok(kept.some(({ id }) => id === 'w0') && !kept.some(({ id }) => id === 'w1'))
    assert.equal((await listWork(app.control, 'move'))[0]?.target, 'newest')
  })
})
