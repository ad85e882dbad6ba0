import assert from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, test } from 'vitest'
import type { Told } from './crash/canned-app.ts'
import { checkFiles } from './crash/look.ts'
import { type CrashPoint, tracingFault } from './crash/strace.ts'
import { checkAcknowledged, checkPlaces, lookAtUploads } from './crash/upload-look.ts'
import { openUploadStage, type Struck, type UploadStage } from './crash/upload-stage.ts'

const fault = await tracingFault()
if (fault) console.log(`NOT RUN: faults of the disk at every step of an upload; no tracing here (${fault}).`)

describe.skipIf(fault !== undefined)('a disk that fails at a step of an upload', { timeout: 900_000 }, () => {
  let stage: UploadStage
  let points: CrashPoint[]
  beforeAll(async () => {
    stage = await openUploadStage()
    points = beforeTheEnd(await stage.rehearse('multipart'))
  })
  afterAll(() => stage?.[Symbol.asyncDispose]())

  test('is told as full, and the next upload succeeds', async () => {
    await strike(points.filter(isFilling), 'ENOSPC', async (struck) => {
      console.log(JSON.stringify(struck.told.map(t=>[t.status,codeOf(t)])), (struck as any).text, struck.told[0]?.status===500?struck.output:'')
    })
  })
  test('is told as broken', async () => {
    await strike(points.filter(({ call }) => !isFilling({ call } as CrashPoint) || call === 'fsync'), 'EIO', async (struck) => {
      console.log(JSON.stringify(struck.told.map(t=>[t.status,codeOf(t)])), (struck as any).text,struck.told[0]?.status===500?struck.output:'')
    })
  })

  const known = () => Object.values(stage.hashes)

  async function strike(struck: readonly CrashPoint[], error: string, check: (struck: Struck) => Promise<void>) {
    for (const point of struck) {
      const strikes = [{ point, fate: `error=${error}` }]
      await stage.strikeAll('multipart+neighbour+ready+next', strikes, async (one) => check({ ...one, text: point.call+' '+point.path } as any))
    }
  }
})

const codeOf = ({ body }: Told): number | undefined => {
  try { return JSON.parse(body).error?.code } catch { return undefined }
}

/** What needs room. */
const isFilling = ({ call }: CrashPoint) =>
  ['openat', 'write', 'pwrite64', 'ftruncate', 'fsync', 'fdatasync', 'mkdir', 'link', 'linkat'].includes(call)

/** Without what happens when all is said: the files are brought in order and closed. */
function beforeTheEnd(all: readonly CrashPoint[]): CrashPoint[] {
  const end = all.findIndex(({ call, path }) => call === 'pwrite64' && path.endsWith('.db'))
  return all.slice(0, end === -1 ? all.length : end)
}
