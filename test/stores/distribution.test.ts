import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onBothStores } from '../support/harness.ts'
import { freshPlace } from '../support/tool.ts'

const reasons = {
  sqlite: /The rows are in SQLite files, which cannot be distributed/,
  postgres: /The database is not a Citus coordinator: it has no extension "citus"/,
}

onBothStores('database:distribute', (store) => {
  test('is refused without Citus, says why, and changes nothing', async () => {
    await using place = await freshPlace(store)
    await place.json('tenants', 'create', '--id', 'cats', '--hostname', 'cats.test')
    for (const more of [[], ['--id', 'cats']]) {
      const { code, err } = await place.run('tenants', 'database:distribute', ...more)
      assert.equal(code, 1)
      assert.match(err, reasons[store])
    }
    const { code, err } = await place.run('tenants', 'database:distribute', '--id', 'dogs')
    assert.equal(code, 1)
    assert.match(err, /Tenant not found/)
    assert.equal((await place.json('tenants', 'get', '--id', 'cats')).id, 'cats')
  })
})
