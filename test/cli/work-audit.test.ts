import assert from 'node:assert/strict'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { lastHealthRun } from '../../src/maintenance/index.ts'
import { startConsole } from '../support/console.ts'
import { onEachStore } from '../support/harness.ts'
import { startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { runHere } from '../support/tool.ts'
import { picture, uploaded } from '../support/uploads.ts'
import { recordedWork, workOf } from '../support/work.ts'

onEachStore('work of the tool', (store) => {
  test('is in the audit log, and its run of the doctor is shown in the console', async () => {
    await using bucket = await startS3Stub()
    await using app = await startConsole({ store })
    const cats = await app.tenant('cats')
    await uploaded(app, cats, { file: await picture() })
    const run = async (...words: string[]) => {
      const { code, err } = await runHere(words, app.environment)
      assert.equal(code, 0, err)
    }
    await run('tenants', 'move', '--id', 'cats')
    assert.deepEqual(await recordedWork(app), [], 'nothing was moved')
    await run('tenants', 'move', '--id', 'cats', '--storage', bucket.url)
    await run('backup', '--to', join(app.dataDir, 'backups', 'nightly'))
    await run('doctor', '--id', 'cats')
    assert.equal(await lastHealthRun(app.app.control), undefined)
    await run('doctor')
    await run('tenants', 'jobs:worker', '--once', '--id', 'cats')
    await run('tenants', 'jobs:worker', '--once')
    assert.deepEqual(await recordedWork(app), [
      'move.started cats tool',
      'move.finished cats tool',
      'backup.started nightly tool',
      'backup.finished nightly tool',
      'health.run cats tool',
      'health.run tool',
      'job.run cats tool',
    ])
    assert.deepEqual(
      (await workOf(app)).map(({ kind, state }) => `${kind} ${state}`),
      ['move done', 'health done'],
    )
    assert.match((await app.console.get('health')).text, />control-tables</)
    const backups = (await app.console.get('backups')).text
    expect(backups).toContain('nightly')
    expect(backups).toContain('Not verified yet')
  })

  test('is recorded as failed if a move fails', async () => {
    await using app = await startConsole({ store })
    await app.tenant('cats')
    const nowhere = 's3://ACCESSKEY:verysecretsecret@127.0.0.1:1/bucket?scheme=http'
    await uploaded(app, await app.tenant('dogs'))
    const { code } = await runHere(['tenants', 'move', '--id', 'dogs', '--storage', nowhere], app.environment)
    assert.equal(code, 1)
    assert.deepEqual(await recordedWork(app), ['move.started dogs tool', 'move.failed dogs tool'])
    const rows = await app.app.control.store.control.selectFrom('controlAudit').selectAll().execute()
    assert.ok(!JSON.stringify(rows).includes('verysecretsecret'))
  })
})
