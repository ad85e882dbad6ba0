import assert from 'node:assert/strict'
import { test } from 'vitest'
import { workEnded } from '../../src/http/connection/running-work.ts'
import { switchOn } from '../support/clients/second-step.ts'
import { softwarePasskey } from '../support/clients/software-passkey.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { startMailServer } from '../support/servers/mail-server.ts'
import { type MailSite, startMailSite } from '../support/servers/mail-site.ts'
import { runHere } from '../support/tool.ts'
import { userWithKey } from '../support/uploads.ts'

const password = 'a long password'

/** How many mails have come to an address, once those are sent that were asked for before. */
async function mailsTo({ app, mail }: MailSite, to: string, subject: RegExp) {
  await workEnded(app.app, 60_000)
  return mail.mails.filter((each) => each.to.toLowerCase() === to && subject.test(each.subject)).length
}

onEachStore('mails to one address', (store) => {
  test('are three of a kind in an hour, from all networks and servers, and the page says the same', async () => {
    await using installation = await startMailSite(store)
    const { app, cats } = installation
    await userWithKey(app, cats, 'bob')
    await using beside = await startTestApp({ store, beside: app })
    const pages = await Promise.all(
      Array.from({ length: 8 }, (_, index) => {
        const headers = { 'x-forwarded-for': `198.51.100.${index}`, 'x-forwarded-proto': 'http' }
        const form = { email: index % 2 ? 'bob@example.com' : 'BOB@example.com' }
        return askPage(index < 4 ? app : beside, cats, 'POST /password', { form, headers })
      }),
    )
    const plain = (text: string) => text.replaceAll(/bob@example.com/gi, 'X')
    assert.deepEqual([...new Set(pages.map(({ status, text }) => `${status} ${plain(text)}`))].length, 1)
    assert.equal(pages[0]?.status, 200)
    await workEnded(beside.app, 60_000)
    assert.equal(await mailsTo(installation, 'bob@example.com', /New password/), 3)
    const [first] = installation.mail.mails.filter(({ subject }) => /New password/.test(subject))
    assert.equal((await askPage(app, cats, `GET ${new URL(first?.link ?? '').pathname}`)).status, 200)

    // Other kinds have their own count: by staff, sign-ups, and words to the owner of a known address.
    const ada = await visitAs(app, cats)
    const users = await ada.show('/dashboard/users')
    const [, id = ''] = /href="\/dashboard\/users\/(\w+)"[^>]*>bob/.exec(users.text) ?? []
    for (let count = 0; count < 4; count += 1) {
      const sent = await ada.send(`/dashboard/users/${id}/password`, { by: 'mail', version: '1' })
      assert.equal(sent.headers.location, `/dashboard/users/${id}?mailed=1`)
    }
    assert.equal(await mailsTo(installation, 'bob@example.com', /New password/), 6)
    const signUp = (email: string, index: number) =>
      askPage(app, cats, 'POST /signup', {
        form: { username: `carol${index}`, email },
        headers: { 'x-forwarded-for': `198.51.100.${index}`, 'x-forwarded-proto': 'http' },
      })
    for (let index = 0; index < 4; index += 1)
      for (const email of ['bob@example.com', 'carol@example.com'])
        assert.equal((await signUp(email, index)).status, 200)
    assert.equal(await mailsTo(installation, 'bob@example.com', /Your account/), 3)
    assert.equal(await mailsTo(installation, 'carol@example.com', /Your account/), 3)

    app.wait(3_601)
    await installation.askReset('bob@example.com')
    assert.equal(await mailsTo(installation, 'bob@example.com', /New password/), 7)
    // A clock that was set back: mails of a later time are old.
    app.wait(-7_200)
    await installation.askReset('bob@example.com')
    assert.equal(await mailsTo(installation, 'bob@example.com', /New password/), 8)
  })

  test('a new address is confirmed by three mails an hour at most, and its user sends to ten addresses', async () => {
    await using installation = await startMailSite(store)
    const { app, cats } = installation
    await userWithKey(app, cats, 'bob')
    const { headers } = await logIn(app, cats, { login: 'bob', password })
    const ask = async (email: string) => {
      const { status, json, text } = await ask5(app, cats, 'PATCH me', {
        headers,
        body: { email, current_password: password },
      })
      assert.equal(status, 200, text)
      assert.equal(json.user.pending_email, email)
    }
    for (let count = 0; count < 4; count += 1) await ask('new@example.com')
    assert.equal(await mailsTo(installation, 'new@example.com', /Confirm/), 3)
    for (let index = 0; index < 8; index += 1) await ask(`stranger${index}@example.com`)
    await mailsTo(installation, '', /Confirm/)
    assert.equal(installation.mail.mails.filter(({ to }) => to.startsWith('stranger')).length, 6)
  })
})

const https = { SERVICE_PUBLIC_SCHEME: 'https', SERVICE_PUBLIC_PORT: '443' }

onEachStore('notices', (store) => {
  test('inform a user of every change of password, address, passkey and second step', async () => {
    await using installation = await startMailSite(store, https)
    const { app, cats } = installation
    const { userId } = await userWithKey(app, cats, 'bob')
    const noticeOf = (subject: RegExp, to = 'bob@example.com') => installation.read(to, subject)
    const bob = await visitAs(app, cats, { login: 'bob', password })
    await bob.send('/settings/security', { current: password, password: 'a second password' })
    const notice = await noticeOf(/^cats\.test: Your password was changed$/)
    assert.match(notice.text, /account bob at cats\.test/)
    assert.equal(notice.link, 'https://cats.test/password')

    const passkey = softwarePasskey({ rpId: 'cats.test', origin: 'https://cats.test' })
    const { json } = await bob.send('/-/passkeys/creation', {})
    const made = { name: 'Phone', challenge: json.challenge, response: passkey.create(json.options) }
    await bob.send('/settings/security/passkeys', made)
    await noticeOf(/A passkey was added/)
    const { text } = await bob.show('/settings/security')
    const [, id = ''] = /passkeys\/(\w+)\/remove/.exec(text) ?? []
    await bob.send(`/settings/security/passkeys/${id}/remove`, {})
    await noticeOf(/A passkey was removed/)

    await switchOn(app, bob)
    await noticeOf(/Two-step verification was turned on/)
    const admin = await keyOf(app, cats, 'admin')
    assert.equal((await ask5(app, cats, `DELETE users/${userId}/totp`, { key: admin })).status, 204)
    await noticeOf(/Two-step verification was turned off/)

    // By staff: also where both are changed, the notices go to the address that the user knows.
    const edit = { email: 'taken-over@example.com', password: 'of the staff member' }
    const ifMatch = { 'if-match': '*' }
    await ask5(app, cats, `PATCH users/${userId}`, { key: admin, body: edit, headers: ifMatch })
    assert.match((await noticeOf(/Your e-mail address was changed/)).text, /administrators of cats\.test/)
    await noticeOf(/Your password was changed/)

    // By a link, which goes to the address of now.
    await installation.askReset('taken-over@example.com')
    const { path } = await noticeOf(/New password/, 'taken-over@example.com')
    await askPage(app, cats, `POST ${path}`, { form: { password: 'a third password' } })
    await noticeOf(/Your password was changed/, 'taken-over@example.com')
    const args = ['user:edit', '--username', 'bob', '--email', 'tool@example.com']
    const ran = await runHere(['site', '--tenant', 'cats', ...args], app.environment)
    assert.equal(ran.code, 0, ran.err)
    await noticeOf(/Your e-mail address was changed/, 'taken-over@example.com')
  })

  test('of a confirmed new address go to the old one', async () => {
    await using installation = await startMailSite(store)
    const { app, cats } = installation
    await userWithKey(app, cats, 'bob')
    const bob = await visitAs(app, cats, { login: 'bob', password })
    await bob.send('/settings/email', { email: 'new@example.com' })
    const { path } = await installation.read('new@example.com', /Confirm/)
    await askPage(app, cats, `POST ${path}`, { form: {}, headers: { 'accept-language': 'de' } })
    const { text } = await installation.read('bob@example.com', /UTF-8/)
    assert.match(text, /^Deine E-Mail-Adresse wurde geändert\./)
  })

  test('nothing is sent to a server without STARTTLS where it is required', async () => {
    await using server = await startMailServer()
    const environment = { SERVICE_SMTP_URL: `${server.url}?starttls=required` }
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const form = { email: 'ada@example.com' }
    assert.equal((await askPage(app, cats, 'POST /password', { form })).status, 200)
    await workEnded(app.app, 60_000)
    assert.deepEqual(server.mails, [])
  })

  test('a mail server that is down fails no change', async () => {
    await using app = await startTestApp({ store, environment: { SERVICE_SMTP_URL: 'smtp://127.0.0.1:1' } })
    const cats = await app.tenant('cats')
    const ada = await visitAs(app, cats)
    const form = { current: password, password: 'a second password' }
    assert.equal((await ada.send('/settings/security', form)).status, 303)
    await visitAs(app, cats, { login: 'ada', password: 'a second password' })
  })
})
