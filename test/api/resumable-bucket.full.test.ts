import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { backUp, examineApp } from '../../src/maintenance/index.ts'
import { moveTenant } from '../../src/tenants/index.ts'
import { created, finishedAs, head, padded, patch } from '../support/clients/resumable.ts'
import { assertHealthy, findingsOf } from '../support/doctor.ts'
import { onBothStores, startTestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { keyOf } from '../support/media.ts'
import { backupFolder } from '../support/stores/backups.ts'
import { startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { onSiteOf, picture, storedBytes, uploaded } from '../support/uploads.ts'

const hourSeconds = 3_600

onBothStores('pieces of resumable uploads', (store) => {
  test('are known to the doctor, sweeps, backups, moves and drops', { timeout: 240_000 }, async () => {
    await using stub = await startS3Stub()
    await using app = await startTestApp({ store, environment: { SERVICE_SCRUB_DAYS: '1' } })
    const cats = await app.tenant('cats')
    const ends: Parameters<typeof created>[0] = [app, cats]
    const key = await keyOf(app, cats, 'upload')
    await uploaded(app, cats)
    const bytes = padded(await picture({ format: 'jpeg' }), 9_000_000)
    const id = await created(ends, { key, length: bytes.length, metadata: { filename: 'cat.jpg' } })
    const send = async (from: number, to: number) => {
      const sent = await patch(ends, id, { key, offset: from, bytes: bytes.subarray(from, to) })
      assert.equal(sent.status, 204, sent.text)
    }
    await send(0, 10_000)
    const pieces = () =>
      onSiteOf(app, cats, async (site) =>
        (await site.storage.list('partial', undefined, 100)).map(({ key: each }) => each),
      )
    const [first = ''] = await pieces()
    // As a server leaves it that is killed before it raises the offset.
    const orphan = first.replace(/-\w+$/, '-Orphan')
    await onSiteOf(app, cats, async (site) => {
      const path = join(app.dataDir, 'orphan')
      await writeFile(path, 'bytes')
      await site.storage.put([{ key: orphan, path }])
    })
    app.wait(23 * hourSeconds)
    await send(10_000, 20_000)
    app.wait(2 * hourSeconds)
    assert.deepEqual(findingsOf(await examineApp(app.app)), [`bytes cats ${orphan}`])
    const runs = await doDueJobs(app)
    assert.equal(runs[0]?.done['sweep-orphans'], 1)
    assert.equal((await pieces()).length, 2)
    await assertHealthy(app.app, { isDeep: true })
    await using folder = await backupFolder()
    await backUp(app.app, { to: join(folder.path, 'one') })

    const env = { SERVICE_STORAGE_URL: stub.url }
    assert.equal((await app.call('PATCH', 'tenants/cats', { env })).status, 204)
    const moved = await moveTenant(app.app.control, 'cats')
    assert.deepEqual([moved.isMoved, moved.missing], [true, []])
    const inBucket = () => [...stub.objects.keys()].filter((each) => each.includes('/partial/'))
    assert.equal(inBucket().length, 2)
    await assertHealthy(app.app)
    assert.equal((await head(ends, id, key)).headers['upload-offset'], '20000')
    await send(20_000, 30_000)
    await send(30_000, bytes.length)
    const { json } = await finishedAs(ends, id, key)
    assert.deepEqual(await storedBytes(app, cats, json.url), bytes)
    assert.deepEqual(inBucket(), [])

    const left = await created(ends, { key, length: 1_000 })
    assert.equal((await patch(ends, left, { key, offset: 0, bytes: bytes.subarray(0, 500) })).status, 204)
    assert.equal(inBucket().length, 1)
    assert.equal((await app.call('DELETE', 'tenants/cats', { drop_tables: true })).status, 204)
    assert.deepEqual(
      [...stub.objects.keys()].filter((each) => each.includes('/files/')),
      [],
    )
  })
})
