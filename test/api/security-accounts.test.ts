import assert from 'node:assert/strict'
import { pino } from 'pino'
import { test } from 'vitest'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { startMailServer } from '../support/servers/mail-server.ts'
import { until } from '../support/until.ts'

onEachStore('a password', (store) => {
  test('is compared as it was typed: any characters, no letter changed, none cut off', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const long = `${'Straße und 🔑 '.repeat(9)}x`
    assert.ok([...long].length > 64 && [...long].length <= 128)
    const passwords = [
      'only small letters here',
      '83 02 11 94 57 60',
      '  spaces at both ends  ',
      '¿Ñandú? — Ω',
      long,
    ]
    for (const [number, password] of passwords.entries()) {
      const username = `user${number}`
      const body = { username, email: `${username}@example.com`, password }
      const made = await ask5(app, cats, 'POST users', { key, body })
      assert.equal(made.status, 201, made.text)
      const logIn = (typed: string) =>
        ask5(app, cats, 'POST sessions', { body: { login: username, password: typed } })
      assert.equal((await logIn(password)).status, 201, password)
      const changed = [
        password.toUpperCase(),
        password.slice(0, -1),
        `${password} `,
        password.trim().slice(1),
      ]
      for (const typed of changed.filter((each) => each !== password))
        assert.deepEqual(problem(await logIn(typed)), [401, 'unauthenticated'], typed)
      // Wrong ones are counted by network.
      app.wait(600)
    }
  })

  test('of 128 characters is accepted, and one does not expire', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats)
    const password = 'correct horse '.repeat(10).slice(0, 128)
    const form = { current: 'a long password', password }
    const changed = await here.send('/settings/security', form)
    assert.equal(changed.status, 303, changed.text)
    app.wait(400 * 86_400)
    const logged = await ask5(app, cats, 'POST sessions', { body: { login: 'ada', password } })
    assert.equal(logged.status, 201, logged.text)
  })

  test('is typed into a masked field that password managers know', async () => {
    await using app = await startTestApp({ store, environment: { SERVICE_ENABLE_SIGNUP: '1' } })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats)
    app.wait(600)
    const pages = [
      await askPage(app, cats, 'GET /login'),
      await askPage(app, cats, 'GET /signup'),
      await here.show('/settings/security'),
      await here.show('/prove'),
      await here.show('/settings'),
      await here.show('/dashboard/users/new'),
    ]
    let count = 0
    for (const { text, status } of pages) {
      assert.equal(status, 200, text)
      for (const [field] of text.matchAll(/<input [^>]*name="(?:password|current|repeated)"[^>]*>/g)) {
        count += 1
        assert.match(field, /type="password"/)
        assert.match(field, /autocomplete="(current|new)-password"/)
        assert.doesNotMatch(field, /readonly|disabled|inputmode|pattern/)
      }
    }
    assert.ok(count >= 5, `${count} fields`)
    // A browser cuts a pasted text at its maxlength without a word; the server refuses it.
    for (const path of ['/signup', '/settings/security', '/dashboard/users/new'])
      assert.doesNotMatch((await here.show(path)).text, /<input [^>]*type="password"[^>]*maxlength/)
  })
})

onEachStore('an e-mail address', (store) => {
  test('with a line break, a second recipient or a header is refused, and nothing is sent to it', async () => {
    await using mail = await startMailServer()
    const environment = { SERVICE_SMTP_URL: mail.url, SERVICE_ENABLE_SIGNUP: '1' }
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    for (const email of [
      'a@example.com\r\nBcc: eve@example.com',
      'a@example.com\nRCPT TO:<eve@example.com>',
      'a@example.com, eve@example.com',
      'a@example.com;eve@example.com',
      '<a@example.com> eve@example.com',
      'a@example.com\u0000',
      '"a\r\nDATA"@example.com',
      'a@example.com>\r\nSubject: x',
    ]) {
      const fields = { username: 'mallory', email, password: 'a long one of mallory' }
      const signedUp = await askPage(app, cats, 'POST /signup', { form: fields })
      assert.equal(signedUp.status, 400, email)
      const made = await ask5(app, cats, 'POST users', { key, body: fields })
      assert.deepEqual(problem(made), [400, 'invalid'], email)
      const asked = await askPage(app, cats, 'POST /password', { form: { email } })
      assert.ok(asked.status < 500, asked.text)
    }
    await askPage(app, cats, 'POST /password', { form: { email: 'ada@example.com' } })
    await until(() => mail.mails.length > 0, 'the mail to ada')
    assert.deepEqual(
      mail.mails.map(({ to }) => to),
      ['ada@example.com'],
    )
  })
})

test('a log entry is one line of JSON with its time, whatever text is in it', async () => {
  const environment = { SERVICE_LOG_LEVEL: 'warn', SERVICE_SMTP_URL: 'smtp://127.0.0.1:1' }
  await using app = await startTestApp({ environment })
  const cats = await app.tenant('cats')
  const lines: string[] = []
  const { [pino.symbols.streamSym]: stream } = app.app.log as unknown as Record<symbol, { write: unknown }>
  assert.ok(stream)
  stream.write = (line: string) => void lines.push(line)
  const forged = 'refused\n{"level":60,"msg":"forged"}'
  assert.ok(app.app.mailer)
  app.app.mailer.send = () => Promise.reject(new Error(forged))
  await askPage(app, cats, 'POST /password', { form: { email: 'ada@example.com' } })
  await until(() => lines.length > 0, 'the line of the log')
  const [line = ''] = lines
  assert.equal(line.indexOf('\n'), line.length - 1)
  const entry = JSON.parse(line)
  assert.deepEqual([entry.level, entry.error], [40, `Error: ${forged}`])
  assert.ok(Math.abs(entry.time - Date.now()) < 60_000)
  assert.ok(!line.includes('ada@example.com'))
})
