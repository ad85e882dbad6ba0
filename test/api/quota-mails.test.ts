import assert from 'node:assert/strict'
import { test } from 'vitest'
import { prepareInstallation } from '../../src/jobs/index.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { ask5, keyOf } from '../support/media.ts'
import { visitAs } from '../support/pages.ts'
import { startMailServer } from '../support/servers/mail-server.ts'
import { until } from '../support/until.ts'
import { statsOf, uploaded } from '../support/uploads.ts'

onEachStore('a mail about a quota', (store) => {
  test('goes to the administrators, one for each threshold', async () => {
    await using mail = await startMailServer()
    await using app = await startTestApp({ store, environment: { SERVICE_SMTP_URL: mail.url } })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const here = await visitAs(app, cats)
    const manager = { username: 'manny', email: 'manny@example.com', password: 'a long password' }
    await here.send('/dashboard/users/new', { ...manager, role: 'manager' })
    await uploaded(app, cats)
    const { storage_used: one = 0 } = await statsOf(app, cats)
    await app.call('PATCH', 'tenants/cats', {
      limits: { SERVICE_MAX_STORAGE: String(one) },
      env: { SERVICE_QUOTA_ACTION: 'suspend' },
    })
    const alerts = async () => (await ask5(app, cats, 'GET audit?verb=quota.alert', { key })).json.data.length
    await until(async () => (await alerts()) === 2, 'two alerts')
    await prepareInstallation(app.app)
    await until(async () => {
      app.wait(61)
      await doDueJobs(app)
      return mail.mails.length >= 2
    }, 'two mails')
    app.wait(3_600)
    await doDueJobs(app)
    assert.deepEqual(
      mail.mails.map(({ to }) => to),
      ['ada@example.com', 'ada@example.com'],
    )
    const texts = mail.mails.map(({ text }) => text).sort()
    assert.match(texts[0] ?? '', /cats\.test has used 80% of its storage/)
    assert.match(texts[1] ?? '', /cats\.test has used 95% of its storage/)
    for (const said of [
      /the whole site is suspended/,
      /wird die ganze Website gesperrt/,
      /se suspenderá todo/,
    ])
      assert.match(texts[0] ?? '', said)
    assert.equal(mail.mails[0]?.link, `http://cats.test:${app.port}/dashboard`)
    assert.match(mail.mails[0]?.subject ?? '', /Your_site_is_close_to/)
  })
})
