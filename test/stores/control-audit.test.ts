import assert from 'node:assert/strict'
import { test } from 'vitest'
import { actingAs, copyControlHead, forgetControlHead, recordControlChange } from '../../src/control/index.ts'
import { onBothStores, startTestApp, type TestApp } from '../support/harness.ts'

const rowsOf = ({ app }: TestApp) =>
  app.control.store.control.selectFrom('controlAudit').selectAll().orderBy('sequence').execute()

const files = 'SERVICE_MAX_FILES'

const record = ({ app: { control } }: TestApp, target: string) => {
  const operator = actingAs(control, { kind: 'operator', id: '7', name: 'ada', address: '192.0.2.1' })
  return control.store.changeControl((db) =>
    recordControlChange(operator, db, {
      verb: 'plan.updated',
      target,
      before: { limits: { A: '1', [files]: '2' }, env: { OLD: 'canary', SAME: 'canary' }, createdAt: 1 },
      after: { limits: { A: '1', [files]: '3' }, env: { NEW: 'canary', SAME: 'canary' }, createdAt: 2 },
    }),
  )
}

onBothStores('the audit log of the installation', (store) => {
  test('holds the entries that a change has changed, with its author, and of env only the names', async () => {
    await using app = await startTestApp({ store })
    await record(app, 'small')
    const row = (await rowsOf(app)).at(-1)
    assert.deepEqual(
      [row?.verb, row?.target, row?.actor, row?.actorId, row?.actorName, row?.address, row?.requestId],
      ['plan.updated', 'small', 'operator', '7', 'ada', '192.0.2.1', null],
    )
    assert.deepEqual(JSON.parse(row?.before ?? ''), { limits: { [files]: '2' }, env: ['OLD'] })
    assert.deepEqual(JSON.parse(row?.after ?? ''), { limits: { [files]: '3' }, env: ['NEW'] })
  })

  test('has no row of a change that was rolled back, or that changed nothing', async () => {
    await using app = await startTestApp({ store })
    const { control } = app.app
    const before = await rowsOf(app)
    const fails = control.store.changeControl(async (db) => {
      await recordControlChange(control, db, { verb: 'tenant.created', target: 'cats', after: {} })
      throw new Error('The change fails.')
    })
    await assert.rejects(fails, /The change fails/)
    await control.store.changeControl((db) =>
      recordControlChange(control, db, {
        verb: 'plan.updated',
        target: 'a',
        before: { x: 1 },
        after: { x: 1 },
      }),
    )
    assert.deepEqual(await rowsOf(app), before)
    await record(app, 'small')
    assert.equal((await rowsOf(app)).at(-1)?.sequence, before.length + 1, 'there is no gap')
  })

  test('has no end to copy until its first row is committed', async () => {
    await using app = await startTestApp({ store })
    const { control } = app.app
    await control.store.control.deleteFrom('controlAuditHead').execute()
    await control.store.control.deleteFrom('controlAudit').execute()
    await forgetControlHead(control)
    assert.equal(await copyControlHead(control), 0)
    await record(app, 'small')
    assert.equal(await copyControlHead(control), 1)
  })

  test('is append-only: the database refuses to change or delete a row', async () => {
    await using app = await startTestApp({ store })
    const { control } = app.app.control.store
    await record(app, 'small')
    await assert.rejects(control.updateTable('controlAudit').set({ actor: 'job' }).execute(), /audit log/)
    await assert.rejects(control.deleteFrom('controlAudit').execute(), /audit log/)
  })
})
