import assert from 'node:assert/strict'
import { afterAll, test } from 'vitest'
import { operationOf } from '../support/faults/system-calls.ts'
import { needing } from '../support/needs.ts'
import { checkOutcome, openStage, strikeEach } from './crash/rehearsal.ts'
import type { CrashPoint } from './crash/strace.ts'

const traced = await needing('strace')

const stage = await openStage()
afterAll(() => stage[Symbol.asyncDispose]())

/** A full disk where something is written, a broken one where it is made to last. */
const fateOf = ({ call }: CrashPoint) =>
  ['fsync', 'fdatasync', 'unlink'].includes(operationOf(call)) ? 'error=EIO' : 'error=ENOSPC'

/** The tool that rotates keys tells of the disk in the system's own words. */
const legalEnd = (verb: string) =>
  verb === 'rotation'
    ? /^(done|refused (disk-full|store-unavailable)|failed Error: (ENOSPC|EIO))\b/m
    : /^(done|refused (disk-full|store-unavailable|storage-[a-z]+))\b/m

traced.describe('a disk that fails at every step', { timeout: 600_000 }, () => {
  // The others are one transaction over control rows, as an edit is.
  for (const verb of ['install', 'edit', 'delete with tables', 'rotation']) {
    test(`is reported, and leaves the work done or undone: ${verb}`, async () => {
      const rehearsal = await stage.rehearse(verb, { isLasting: true })
      const counts = { done: 0, undone: 0, reported: 0, missed: 0 }
      await strikeEach(rehearsal, fateOf, async (struck) => {
        assert.match(struck.output, legalEnd(verb))
        if (!struck.isDone) counts.reported += 1
        if (!struck.isStruck) counts.missed += 1
        counts[await checkOutcome(rehearsal, struck)] += 1
      })
      const { length } = rehearsal.points
      console.log(`${verb}: ${length} points, ${JSON.stringify(counts)}`)
      assert.ok(counts.missed <= length / 20, `${counts.missed} of ${length} points missed`)
    })
  }
})
