import assert from 'node:assert/strict'
import { test } from 'vitest'
import { faultyQuotaValues } from '../support/fixtures/quota-values.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'

onEachStore('values of quotas', (store) => {
  test('how quotas act is checked in limits and env of plans and tenants', async () => {
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants-plans', { id: 'small', limits: {} })
    await app.call('POST', 'tenants', {
      id: 'cats',
      hostname: 'cats.test',
      plan_id: 'small',
      is_enabled: true,
    })
    for (const path of ['tenants-plans/small', 'tenants/cats'])
      for (const field of ['limits', 'env']) {
        for (const [name, values] of Object.entries(faultyQuotaValues))
          for (const value of values) {
            const { status, text } = await app.call('PATCH', path, { [field]: { [name]: value } })
            assert.equal(status, 400, `${name}=${value}`)
            assert.match(text, new RegExp(`${field}\\.${name}: must be `))
          }
        const good = { SERVICE_QUOTA_ALERT: '1,50,100', SERVICE_QUOTA_GRACE_DAYS: 0 }
        const { status } = await app.call('PATCH', path, {
          [field]: { ...good, SERVICE_QUOTA_ACTION: 'suspend' },
        })
        assert.equal(status, 204)
      }
    assert.equal((await app.call('PATCH', 'tenants/cats', { env: { SERVICE_QUOTA_ALERT: 80 } })).status, 204)
    const { json } = await app.call('GET', 'tenants/cats/effective')
    const values = { ...json.limits, ...json.env }
    assert.deepEqual(values.SERVICE_QUOTA_ALERT, { value: '80', level: 'tenant_env' })
    assert.deepEqual(values.SERVICE_QUOTA_ACTION, { value: 'suspend', level: 'tenant_limits' })
  })
})
