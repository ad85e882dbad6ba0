import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, type StoreKind, startTestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { ask5, keyOf } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { startMailServer } from '../support/servers/mail-server.ts'
import { until } from '../support/until.ts'
import { onSiteOf, picture, uploaded } from '../support/uploads.ts'

async function startReportSite(store: StoreKind, more: Record<string, string> = {}) {
  const mail = await startMailServer()
  const app = await startTestApp({
    store,
    environment: { SERVICE_SMTP_URL: mail.url, SERVICE_TRUSTED_PROXIES: '127.0.0.1', ...more },
  })
  const cats = await app.tenant('cats')
  let [seed, from] = [0, 0]
  return {
    app,
    cats,
    mail,
    async upload(title: string): Promise<{ id: string; path: string }> {
      seed += 1
      const image = await uploaded(app, cats, { file: await picture({ seed }), fields: { title } })
      return { id: image.id_encoded, path: new URL(image.url_viewer).pathname }
    },
    /** By a guest at an address of its own. */
    async report(id: string, text = '') {
      from += 1
      const headers = { 'x-forwarded-for': `198.51.${from >> 8}.${from & 255}` }
      const answer = await ask5(app, cats, `POST files/${id}/reports`, {
        body: { reason: 'spam', text },
        headers,
      })
      assert.equal(answer.status, 204, answer.text)
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await mail[Symbol.asyncDispose]()
    },
  }
}

onEachStore('a mail about a report', (store) => {
  test('informs administrators and managers of the first report of a file, without a word of visitors', async () => {
    await using reported = await startReportSite(store)
    const { app, cats, mail } = reported
    const here = await visitAs(app, cats)
    const password = 'a long password'
    for (const [username, role] of [
      ['manny', 'manager'],
      ['manon', 'manager'],
      ['userine', 'user'],
    ] as const)
      await here.send('/dashboard/users/new', { username, email: `${username}@example.com`, password, role })
    const key = await keyOf(app, cats, 'admin')
    const { data } = (await ask5(app, cats, 'GET users?q=manon', { key })).json
    await ask5(app, cats, `PATCH users/${data[0].id}`, { key, body: { is_banned: true } })

    const { id, path } = await reported.upload('https://evil.example/title')
    await reported.report(id, 'https://evil.example/text')
    await until(() => mail.mails.length >= 2, 'two mails')
    assert.deepEqual(mail.mails.map(({ to }) => to).sort(), ['ada@example.com', 'manny@example.com'])
    const [first] = mail.mails
    assert.match(first?.subject ?? '', /^cats\.test: A file was reported/)
    for (const said of [/Spam or fraud/, /Keep or remove it here/, /Behalte oder entferne/, /Consérvalo/])
      assert.match(first?.text ?? '', said)
    assert.equal(first?.link, `http://cats.test:${app.port}/dashboard/reports`)
    assert.doesNotMatch(first?.text ?? '', /evil/)

    await reported.report(id)
    const other = await reported.upload('Another')
    const form = { reason: 'privacy', text: '' }
    const sent = await askPage(app, cats, `POST ${other.path}/report`, { form })
    assert.equal(sent.status, 303)
    await until(() => mail.mails.length >= 4, 'two mails about the other file')
    assert.equal(mail.mails.filter(({ text }) => text.includes('Spam or fraud')).length, 2)
    assert.match(mail.mails.at(-1)?.text ?? '', /without their consent/)
    const refused = await askPage(app, cats, `POST ${path}/report`, { form: { reason: 'none' } })
    assert.equal(refused.status, 400)
    assert.equal(mail.mails.length, 4)
  })

  test('is sent ten times an hour at most, and not for bytes that were kept', async () => {
    await using reported = await startReportSite(store)
    const { app, cats, mail } = reported
    const key = await keyOf(app, cats, 'admin')
    const { id: kept } = await reported.upload('Kept')
    await reported.report(kept)
    await ask5(app, cats, 'POST files/bulk', { key, body: { action: 'approve', ids: [kept] } })
    await reported.report(kept)
    const files = []
    for (let count = 0; count < 11; count += 1) files.push(await reported.upload(`File ${count}`))
    for (const { id } of files) await reported.report(id)
    await until(() => mail.mails.length >= 10, 'ten e-mails')
    app.wait(3_600)
    const { id: later } = await reported.upload('Later')
    await reported.report(later)
    await until(() => mail.mails.length >= 11, 'a mail after the hour')
    // Mails are sent in the order of the reports, so one of the others would have come before.
    assert.equal(mail.mails.length, 11)
  })
})

onEachStore('the job for reporters', (store) => {
  test('keeps the address of a reporter as long as the audit log, and the report for longer', async () => {
    await using reported = await startReportSite(store, { SERVICE_AUDIT_DAYS: '30' })
    const { app, cats } = reported
    const { id } = await reported.upload('Old')
    await reported.report(id, 'a text')
    app.wait(20 * 86_400)
    await reported.report(id)
    const reports = () =>
      onSiteOf(app, cats, (site) =>
        site.db.selectFrom('fileReport').select(['address', 'text']).orderBy('createdAt').execute(),
      )
    const addresses = async () => (await reports()).map(({ address }) => address !== '')
    await doDueJobs(app, cats)
    assert.deepEqual(await addresses(), [true, true])
    app.wait(11 * 86_400)
    await doDueJobs(app, cats)
    assert.deepEqual(await addresses(), [false, true])
    await doDueJobs(app, cats)
    app.wait(21 * 86_400)
    await doDueJobs(app, cats)
    assert.deepEqual(await addresses(), [false, false])
    assert.equal((await reports())[0]?.text, 'a text')
    const key = await keyOf(app, cats, 'admin')
    const here = await visitAs(app, cats)
    assert.match((await here.show('/dashboard/reports')).text, /2 reports/)
    assert.equal((await ask5(app, cats, `GET files/${id}`, { key })).json.is_approved, true)
  })

  test('keeps every address if the log is kept for ever', async () => {
    await using reported = await startReportSite(store, { SERVICE_AUDIT_DAYS: '0' })
    const { app, cats } = reported
    const { id } = await reported.upload('Old')
    await reported.report(id)
    app.wait(4_000 * 86_400)
    await doDueJobs(app, cats)
    const rows = await onSiteOf(app, cats, (site) =>
      site.db.selectFrom('fileReport').select('address').execute(),
    )
    assert.deepEqual(rows, [{ address: '198.51.0.1' }])
  })
})
