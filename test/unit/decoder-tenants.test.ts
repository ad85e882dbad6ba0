import assert from 'node:assert/strict'
import { mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { openWhole } from '../../src/formats/containers/bytes.ts'
import { hostileDecoder, orderFor } from '../support/faults/decoder-orders.ts'
import { drawQuarters, startTestImaging } from '../support/fixtures/imaging-pictures.ts'

const minutes = { timeout: 300_000 }

/** What a decoder finds of an earlier job: in its memory, and in its folder beside its own job. */
async function recalled(it: ReturnType<typeof startTestImaging>, tenantKey: string) {
  const error = await it.examine(orderFor('recall'), { tenantKey }).then(
    () => assert.fail('it was believed'),
    (refused) => refused,
  )
  const [, text = ''] = /KEPT (.*) KEPT/s.exec(String((error as Error).cause)) ?? []
  return JSON.parse(text) as { kept: string; files: string[] }
}

describe('a decoder that does jobs of two tenants', () => {
  test('has no file, no descriptor and no mapping of a job that is over', minutes, async () => {
    await using it = startTestImaging({ folder: mkdtempSync(join(tmpdir(), 'terrace-decoders-')) })
    const picture = await drawQuarters(64, 48).jpeg().toBuffer()
    const jobs = [picture, picture.subarray(0, picture.length / 2), Buffer.from('no picture'), picture]
    for (const [index, job] of jobs.entries()) {
      const examined = it.examine(job, { tenantKey: String(index) })
      await examined.then(
        () => assert.ok(index % 3 === 0, 'the whole ones are taken'),
        () => assert.ok(index % 3 > 0, 'the broken ones are refused'),
      )
      const [pid = 0] = it.imaging.pids
      const cwd = readlinkSync(`/proc/${pid}/cwd`)
      assert.deepEqual(readdirSync(cwd), [])
      const open = readdirSync(`/proc/${pid}/fd`).map((fd) => {
        try {
          return readlinkSync(`/proc/${pid}/fd/${fd}`)
        } catch {
          return ''
        }
      })
      const maps = readFileSync(`/proc/${pid}/maps`, 'utf8')
      for (const path of [...open, ...maps.split('\n')])
        assert.ok(!/upload|thumb|medium|decoder-/.test(path.replace(cwd, '')), path)
    }
    assert.equal(it.imaging.pids.length, 1, 'one decoder did all of them')
  })

  test('is replaced if a job has left a file in its folder', minutes, async () => {
    await using it = startTestImaging({ worker: hostileDecoder })
    await assert.rejects(it.examine(orderFor('keep', 'in a file'), { tenantKey: 'cats' }))
    assert.deepEqual(await recalled(it, 'dogs'), { kept: '', files: ['job'] })
  })

  test('is replaced after a job that killed it, with its folder', minutes, async () => {
    await using it = startTestImaging({ worker: hostileDecoder })
    for (const way of ['exit', 'abort'])
      await assert.rejects(it.examine(orderFor(way), { tenantKey: 'cats' }))
    assert.deepEqual(await recalled(it, 'dogs'), { kept: '', files: ['job'] })
  })
})

describe('one decoder for each tenant', () => {
  test('never reads a file of another tenant, even if a file has taken it over', minutes, async () => {
    await using it = startTestImaging({ worker: hostileDecoder, isChildPerTenant: true })
    const keep = orderFor('keep')
    await assert.rejects(it.examine(keep, { tenantKey: 'cats' }))
    assert.deepEqual(
      await recalled(it, 'cats'),
      { kept: String(keep), files: ['job'] },
      'its own it may know',
    )
    assert.deepEqual(await recalled(it, 'dogs'), { kept: '', files: ['job'] })
    assert.deepEqual(await recalled(it, 'cats'), { kept: '', files: ['job'] })
    assert.equal(it.imaging.pids.length, 1, 'there are no more decoders than allowed')
  })

  test('keeps decoders of several tenants, as many as may run', minutes, async () => {
    await using it = startTestImaging({ isChildPerTenant: true, children: 2 })
    const picture = await drawQuarters(64, 48).png().toBuffer()
    for (const tenantKey of ['cats', 'dogs']) await it.examine(picture, { tenantKey })
    const before = it.imaging.pids
    for (const tenantKey of ['cats', 'dogs']) await it.examine(picture, { tenantKey })
    assert.deepEqual(it.imaging.pids, before)
    await it.examine(picture, { tenantKey: 'birds' })
    assert.equal(it.imaging.pids.length, 2)
    assert.notDeepEqual(it.imaging.pids, before)
  })
})

test('the buffer that files are read into holds none of them afterwards', () => {
  const folder = mkdtempSync(join(tmpdir(), 'terrace-bytes-'))
  try {
    const path = join(folder, 'file')
    writeFileSync(path, 'canary')
    const file = openWhole(path)
    const { whole } = file
    assert.equal(String(whole), 'canary')
    file[Symbol.dispose]()
    assert.deepEqual(whole, Buffer.alloc(6))
  } finally {
    rmSync(folder, { recursive: true })
  }
})
