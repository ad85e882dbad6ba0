import assert from 'node:assert/strict'
import { test } from 'vitest'
import { examineApp } from '../../src/maintenance/index.ts'
import { askConsole, consoleHost, startConsole } from '../support/console.ts'
import { findingsOf } from '../support/doctor.ts'
import { freePort, onBothStores, sendRequest, startTestApp } from '../support/harness.ts'
import { freshInstallation, refused, runHere } from '../support/tool.ts'

onBothStores('the tool', (store) => {
  test('creates, lists, resets and deletes operators, also the last one', async () => {
    await using installation = await freshInstallation(store, { SERVICE_CONSOLE_HOSTNAME: consoleHost })
    const { json } = installation
    assert.deepEqual(await json('operator:list'), [])
    const made = await json('operator:create', '--username', 'Ada.L')
    const { id, link, expires_at, ...named } = made
    assert.deepEqual(named, { username: 'Ada.L', role: 'operator' })
    assert.match(id, /^\w{12}$/)
    assert.match(link, /^http:\/\/console\.test:8080\/_\/console\/invite\/\w{43}$/)
    const hours = (Date.parse(`${expires_at.replace(' ', 'T')}Z`) - Date.now()) / 3_600_000
    assert.ok(hours > 23.9 && hours <= 24, expires_at)
    await json('operator:create', '--username', 'bob', '--role', 'viewer')

    const [ada, bob] = await json('operator:list')
    const { created_at, ...fresh } = ada
    assert.deepEqual(fresh, {
      id,
      username: 'Ada.L',
      role: 'operator',
      is_set_up: false,
      passkeys: 0,
      has_totp: false,
      last_login_at: null,
    })
    assert.match(created_at, /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d$/)
    assert.deepEqual([bob.username, bob.role], ['bob', 'viewer'])

    const again = await json('operator:reset', '--username', 'ADA.l')
    assert.deepEqual([again.id, again.username, again.role], [id, 'Ada.L', 'operator'])
    assert.notEqual(again.link, link)
    assert.deepEqual(Object.keys(again).sort(), Object.keys(made).sort())
    assert.deepEqual(await json('operator:delete', '--username', 'ada.l'), {
      id,
      username: 'Ada.L',
      deleted: true,
    })
    const { err } = await installation.run('operator:delete', '--username', 'bob')
    assert.match(err, /No operator is left\. Create one: terrace operator:create --username NAME/)
    assert.deepEqual(await json('operator:list'), [])
  })

  test('refuses names that are unknown, taken or wrong', async () => {
    await using installation = await freshInstallation(store)
    await installation.json('operator:create', '--username', 'ada')
    await refused(
      installation,
      ['operator:create', '--username', 'ADA'],
      'There is already an operator named "ADA".',
    )
    for (const command of ['operator:reset', 'operator:delete'])
      await refused(installation, [command, '--username', 'bob'], 'There is no operator "bob".')
    for (const name of ['ab', 'a'.repeat(33), 'ada lovelace', 'ädä', ''])
      await refused(installation, ['operator:create', `--username=${name}`], 'username')
    for (const wrong of [
      ['--username', 'bob', '--role', 'admin'],
      [],
      ['--username', 'bob', '--rights', 'x'],
    ])
      assert.equal((await installation.run('operator:create', ...wrong)).code, 2, wrong.join(' '))
    assert.equal((await installation.json('operator:list')).length, 1)
  })

  test('takes everything away from a running session, whose link then opens the account again', async () => {
    await using app = await startConsole({ store })
    const { console } = app
    assert.equal((await console.get('keys')).status, 200)
    const { code, out } = await runHere(['operator:reset', '--username', 'grace', '--json'], app.environment)
    assert.equal(code, 0, out)
    const ended = await console.get('keys')
    assert.deepEqual(
      [ended.status, ended.headers.location],
      [302, '/_/console/login?to=%2F_%2Fconsole%2Fkeys'],
    )
    const { pathname, origin } = new URL(JSON.parse(out).link)
    assert.equal(origin, `http://${consoleHost}:${app.port}`)
    const opened = await askConsole(app, { path: pathname.slice('/_/console/'.length) })
    assert.match(opened.text, /<h1>Set up your account<\/h1>/, opened.text)
  })
})

test('links have the hostname and the address that the server has, unless the tool has its own', async () => {
  const environment = {
    SERVICE_CONSOLE_HOSTNAME: consoleHost,
    SERVICE_PUBLIC_SCHEME: 'https',
    SERVICE_PUBLIC_PORT: '8443',
  }
  await using app = await startTestApp({ environment })
  const {
    SERVICE_CONSOLE_HOSTNAME: _host,
    SERVICE_PUBLIC_SCHEME: _scheme,
    SERVICE_PUBLIC_PORT: _port,
    ...bare
  } = app.environment
  const linkWith = async (settings: Record<string, string>, name: string) => {
    const words = ['operator:create', '--username', name, '--json']
    return JSON.parse((await runHere(words, { ...bare, ...settings })).out).link
  }
  assert.match(await linkWith({}, 'one'), /^https:\/\/console\.test:8443\/_\/console\/invite\//)
  const own = { SERVICE_HOSTNAME: 'media.test', SERVICE_PUBLIC_PORT: '443', SERVICE_PUBLIC_SCHEME: 'https' }
  assert.match(await linkWith(own, 'two'), /^https:\/\/media\.test\/_\/console\/invite\//)
})

test('a console that is set up wrongly stops every command with 2', async () => {
  for (const [name, value] of [
    ['SERVICE_CONSOLE_HOSTNAME', 'console_.test/x'],
    ['SERVICE_CONSOLE_HOSTNAME', 'console.test:8080'],
    ['SERVICE_CONSOLE_IP_ALLOW_LIST', '10.0.0.0/33'],
    ['SERVICE_CONSOLE_IP_ALLOW_LIST', 'localhost'],
  ] as const) {
    await using installation = await freshInstallation('sqlite', { [name]: value })
    for (const words of [['serve'], ['operator:list'], ['doctor']]) {
      const { code, err } = await installation.run(...words)
      assert.deepEqual([code, err.startsWith(`${name}: `)], [2, true], `${name}=${value} ${words} ${err}`)
    }
  }
})

test('the doctor warns of a tenant that has the hostname of the console', async () => {
  await using app = await startConsole()
  const check = async () => findingsOf(await examineApp(app.app))
  assert.deepEqual(await check(), [])
  await app.call('POST', 'tenants', { id: 'cats', hostname: consoleHost, is_enabled: false })
  const verdicts = await examineApp(app.app)
  const [finding] = verdicts.find(({ check }) => check === 'console')?.findings ?? []
  assert.deepEqual(
    [finding?.isFault, finding?.tenant, finding?.key],
    [false, 'cats', consoleHost],
    JSON.stringify(verdicts),
  )
  assert.match(
    finding?.says ?? '',
    /^The console has the hostname of this tenant: http:\/\/console\.test:\d+\/_\/console is closed\.$/,
  )
  assert.match(finding?.todo ?? '', /SERVICE_CONSOLE_HOSTNAME/)
})

test('the first start makes an operator, and a later one says where the console is', async () => {
  await using installation = await freshInstallation()
  const port = await freePort()
  const address = `http://localhost:${port}/_/console`
  {
    await using first = await installation.serve({ PORT: String(port) })
    assert.match(first.text, new RegExp(`^ {2}Console +${address}$`, 'm'))
    const [, path = ''] =
      new RegExp(`^ {2}http://localhost:${port}(/_/console/invite/\\w+)$`, 'm').exec(first.text) ?? []
    const { status, text } = await sendRequest(port, 'GET', path, { headers: { host: `localhost:${port}` } })
    assert.equal(status, 200, first.text)
    assert.match(text, /value="operator"/)
    const [{ username, role, is_set_up }] = await installation.json('operator:list')
    assert.deepEqual([username, role, is_set_up], ['operator', 'operator', false])
  }
  {
    await using later = await installation.serve({ PORT: String(port) })
    assert.equal(later.text, `Terrace is up at http://localhost:${port}/\nThe console is at ${address}\n`)
  }
  await installation.json('operator:delete', '--username', 'operator')
  await using without = await installation.serve({ PORT: String(port) })
  assert.ok(
    without.text.endsWith(
      `The console is at ${address}. Create its first operator: terrace operator:create --username NAME\n`,
    ),
    without.text,
  )
})

test('the first start keeps an operator that the tool has created before', async () => {
  await using installation = await freshInstallation()
  await installation.json('operator:create', '--username', 'operator', '--role', 'viewer')
  await using first = await installation.serve()
  assert.match(first.text, /^ {2}Console +http/m)
  assert.doesNotMatch(first.text, /invite/)
  assert.equal((await installation.json('operator:list')).length, 1)
})
