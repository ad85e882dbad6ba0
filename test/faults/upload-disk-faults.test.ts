import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, test } from 'vitest'
import { operationOf } from '../support/faults/system-calls.ts'
import { needing } from '../support/needs.ts'
import { checkFiles } from './crash/look.ts'
import type { Outcome } from './crash/service.ts'
import { type CrashPoint, thinned } from './crash/strace.ts'
import { checkAcknowledged, checkLocations, type Found, lookAtUploads } from './crash/upload-look.ts'
import { openUploadStage, type Play, type Struck, type UploadStage } from './crash/upload-stage.ts'

const traced = await needing('strace')

traced.describe('a disk that fails at a step of an upload', { timeout: 900_000 }, () => {
  let stage: UploadStage
  let points: CrashPoint[]
  beforeAll(async () => {
    stage = await openUploadStage()
    points = thinned(await stage.rehearse({ verb: 'multipart+rest', isLasting: true }))
  })
  afterAll(() => stage?.[Symbol.asyncDispose]())

  test('because it is full: nothing is stored, others go on, and the next upload succeeds', async () => {
    const counts: Record<string, number> = {}
    const play = { verb: 'multipart+neighbour+multipart+next', isLasting: true }
    await strike(play, points.filter(isFilling), 'ENOSPC', async (struck) => {
      const { point, outcomes } = struck
      const [first, neighbour, again, next] = outcomes as [Outcome, Outcome, Outcome, Outcome]
      count(counts, first)
      // SQLite does not tell why it cannot open or sync a file.
      const refusals = isOfSqlite(point) && /openat|sync/.test(point.call) ? ['503 900'] : ['507 104']
      assert.ok(['200', ...refusals].includes(wordOf(first)), `${wordOf(first)} ${first.body}`)
      assert.deepEqual([wordOf(neighbour), wordOf(again), wordOf(next)], ['200', '200', '200'])
      assert.equal(neighbour.body, stage.neighbour[0])
      const found = await lookAfter(struck, [first, again])
      if (!isUnsure(point)) assert.deepEqual(found.orphans, [])
    })
    console.log(`full: ${JSON.stringify(counts)}`)
  })

  test('because it is broken: no upload is acknowledged that may be lost, and health reports it', async () => {
    const syncs = points.filter(isSync)
    const storageThread = syncs.find(({ path }) => path.startsWith('/spool'))?.thread
    const counts: Record<string, number> = {}
    await strike(withHealth, syncs, 'EIO', async (struck) => {
      const { point, outcomes } = struck
      const words = outcomes.map(wordOf)
      count(counts, outcomes[0] as Outcome)
      const isAcknowledged = words[0] === '200'
      // The storage takes nothing more; SQLite has undone what failed, and writes it anew.
      if (point.thread === storageThread) assert.deepEqual(words, ['503 900', '200', '503 503', '503 900'])
      else if (!isAcknowledged) assert.deepEqual(words, ['503 900', '200', '503 503', '200'])
      if (point.path.endsWith('site.db-wal')) assert.ok(!isAcknowledged)
      await lookAfter(struck, outcomes.slice(0, 1))
    })
    console.log(`broken: ${JSON.stringify(counts)}`)
  })

  test('while it removes what is left over: that is for later, and no fault of the upload', async () => {
    const removals = points.filter(({ call }) => operationOf(call) === 'unlink')
    await strike(withHealth, removals, 'EIO', async (struck) => {
      assert.deepEqual(struck.outcomes.map(wordOf), ['200', '200', '200', '200'])
      await lookAfter({ ...struck, mayHaveSpool: true }, struck.outcomes.slice(0, 1))
    })
    console.log(`not removed: ${removals.length} points`)
  })

  test('and the process is killed: a commit that failed and comes true has its bytes', async () => {
    const play = { verb: 'multipart+die' }
    const syncs = (await stage.rehearse(play)).filter((point) => isSync(point) && isOfSqlite(point))
    let comeTrue = 0
    await strike(play, syncs, 'EIO', async (struck) => {
      const { files } = await lookAfter(struck, struck.outcomes)
      if (struck.outcomes[0]?.status !== 200) comeTrue += files.length
    })
    console.log(`killed after a failed commit: ${syncs.length} points, ${comeTrue} rows came true`)
  })

  const withHealth = { verb: 'multipart+neighbour+ready+next', isLasting: true }

  type After = Struck & { mayHaveSpool?: boolean }
  type Check = (struck: Struck) => Promise<void>

  async function strike(play: Play, struck: readonly CrashPoint[], error: string, check: Check) {
    assert.ok(struck.length > 0)
    const strikes = struck.map((point) => ({ point, fate: `error=${error}` }))
    const missed: string[] = []
    await stage.strikeAll(play, strikes, async (one) => {
      if (!one.isStruck) missed.push(one.point.text)
      for (const { status, body } of one.outcomes) assert.notEqual(status, 500, body)
      await check(one)
    })
    assert.ok(missed.length <= struck.length / 20, `of ${struck.length} points were missed: ${missed}`)
  }

  /** What was acknowledged is there, what was not is not, and nothing lies in the spool. */
  async function lookAfter(struck: After, outcomes: readonly Outcome[]): Promise<Found> {
    const { folder, isKilled, mayHaveSpool = isKilled } = struck
    if (!mayHaveSpool) assert.deepEqual(await readdir(join(folder, 'spool')), [])
    await checkFiles(folder)
    await checkLocations(folder)
    await using service = await stage.open(folder)
    const found = await lookAtUploads(service.app, 'cats', stage.known)
    const acknowledged = outcomes.filter(({ status }) => status === 200)
    for (const { body } of acknowledged) await checkAcknowledged(service.app, 'cats', body)
    if (!isKilled) assert.equal(found.files.length, acknowledged.length)
    return found
  }
})

const wordOf = ({ status, body }: Outcome): string =>
  status === 200 ? '200' : `${status} ${JSON.parse(body).error.code}`

function count(counts: Record<string, number>, outcome: Outcome): void {
  counts[wordOf(outcome)] = (counts[wordOf(outcome)] ?? 0) + 1
}

const isSync = ({ call }: CrashPoint) => call === 'fsync' || call === 'fdatasync'

/** What needs room. */
const isFilling = (point: CrashPoint) =>
  isSync(point) ||
  ['openat', 'write', 'writev', 'pwrite64', 'ftruncate', 'mkdir', 'link'].includes(operationOf(point.call))

const isOfSqlite = ({ path, text }: CrashPoint) => /\.db(-wal)?$/.test(path) || text.includes('.db')

/** A commit that fails here may come true yet. */
const isUnsure = (point: CrashPoint) => isSync(point) && point.path.endsWith('site.db-wal')
