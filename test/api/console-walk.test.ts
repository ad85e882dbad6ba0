import assert from 'node:assert/strict'
import { test } from 'vitest'
import { consoleRoutes } from '../../src/console/page-list.ts'
import { askConsole, consoleAddress, type TestConsole } from '../support/console.ts'
import {
  addressOf,
  ownAccount,
  routesOf,
  rowsOf,
  startConsoleWorld,
  tables,
} from '../support/console-routes.ts'
import { onEachStore } from '../support/harness.ts'

onEachStore('every address of the console', (store) => {
  test('opens for a viewer, who changes nothing by any of them', async () => {
    const world = await startConsoleWorld({ store })
    await using app = world.app
    const viewer = await app.operator('viewer')
    const before = await rowsOf(app)
    assert.ok(tables.length > 15 && (before.operator ?? '').includes(viewer.username))
    for (const route of routesOf('GET')) {
      const { status, headers, text } = await viewer.get(addressOf(world, route))
      assert.ok([200, 302, 303, 403, 404].includes(status), `GET ${route.path}: ${status} ${text}`)
      if (status === 200 && !ownAccount.test(route.path)) assertWithoutForms(route.path, text)
      if (status === 200) assert.match(headers['cache-control'] ?? '', /no-store/, route.path)
    }
    for (const route of routesOf('POST').filter(({ path }) => !ownAccount.test(path))) {
      for (const form of [{}, { confirm: 'cats', drop_tables: '1', role: 'operator' }]) {
        const { status, text } = await viewer.post(addressOf(world, route), form)
        assert.equal(status, 403, `POST ${route.path}: ${status}`)
        assert.match(text, /Your role is viewer: you can see everything here, but change nothing\./)
      }
    }
    assert.deepEqual(await rowsOf(app), before)
    assert.equal((await viewer.get()).status < 500, true)
  })

  test('shows nobody a value of env, a hash, a token or a key of the installation', async () => {
    const world = await startConsoleWorld({ store })
    await using app = world.app
    const canary = 'canary7f3a'
    const storage = `s3://AKIA:${canary}@127.0.0.1:9/bucket?scheme=http`
    const env = { MY_SECRET: canary, SERVICE_STORAGE_URL: storage }
    await app.call('PATCH', 'tenants/cats', { plan_id: 'small', env })
    await app.call('PATCH', 'tenants-plans/small', { env: { OTHER_SECRET: canary } })
    const viewer = await app.operator('viewer')
    const secrets = [canary, app.secret, app.key, world.token, ...app.console.recoveryCodes]
    const db = app.app.control.store.control
    for (const { passwordHash } of await db.selectFrom('operator').select('passwordHash').execute())
      if (passwordHash !== '') secrets.push(passwordHash)
    for (const { tokenHash } of await db.selectFrom('operatorSession').select('tokenHash').execute())
      secrets.push(tokenHash)
    const check = (what: string, text: string) => {
      for (const secret of secrets) assert.ok(!text.includes(secret), `${what} shows ${secret}`)
    }
    for (const client of [app.console, viewer])
      for (const route of routesOf('GET').filter(({ path }) => !path.startsWith('invite'))) {
        const path = addressOf(world, route)
        for (const query of [
          '',
          '?name=MY_SECRET&in=env',
          '?name=OTHER_SECRET&in=env',
          `?q=${canary.slice(0, 6)}x`,
        ])
          check(path, (await client.get(path + query)).text)
      }
    for (const [name, value] of [
      ['OTHER_SECRET', 'another'],
      ['SERVICE_STORAGE_URL', 'disk:'],
      ['SERVICE_MAX_FILES', '5'],
    ] as const)
      for (const level of ['limits', 'env'])
        check('preview', (await app.console.post('plans/small', { name, value, in: level })).text)
    assert.equal((await viewer.post('tenants/cats/values/reveal')).status, 403)
    const revealed = await app.console.post('tenants/cats/values/reveal')
    assert.ok(revealed.status === 200 && revealed.text.includes(canary), 'they are there to be shown')
    const move = await app.console.post('tenants/cats/move')
    if (move.headers.location) check('a move that fails', (await app.console.get('moves')).text)
  })

  test('leads guests to the log-in, and only what begins a session is open to them', async () => {
    const world = await startConsoleWorld({ store })
    await using app = world.app
    const open = consoleRoutes.filter(({ access }) => access === 'anyone')
    for (const { path } of open) assert.match(path, /^(?:login|logout|invite|-\/passkeys)(?:\/|$)/)
    for (const route of consoleRoutes.filter((each) => !open.includes(each))) {
      const path = addressOf(world, route)
      const answer = await askConsole(app, {
        method: route.method,
        path,
        ...(route.method === 'POST' && { form: { csrf: app.console.csrf } }),
      })
      const to = route.method === 'GET' ? consoleAddress(path) : undefined
      const { status, headers } = answer
      assert.equal(status, 302, `${route.method} ${path}`)
      const sent = new URL(headers.location ?? '', 'http://x').searchParams.get('to')
      assert.ok(to === undefined ? sent?.startsWith('/_/console') : sent === to, `${path} → ${sent}`)
      assert.match(headers.location ?? '', /^\/_\/console\/login\?to=/)
    }
  })

  test('refuses forms without the token of the session, and forms from elsewhere', async () => {
    const world = await startConsoleWorld({ store })
    await using app = world.app
    const before = await rowsOf(app)
    const { console } = app
    for (const route of routesOf('POST')) {
      const path = addressOf(world, route)
      for (const headers of [
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
        { 'sec-fetch-site': 'none' },
        { 'sec-fetch-site': '', origin: 'http://evil.test' },
      ])
        assert.equal(
          (await console.post(path, {}, headers)).status,
          403,
          `${path} ${JSON.stringify(headers)}`,
        )
      if (route.isForGuests) continue
      for (const csrf of ['', 'x', `${console.csrf}0`, console.csrf.toUpperCase()])
        assert.equal((await console.post(path, { csrf })).status, 403, `${path} csrf=${csrf}`)
    }
    assert.deepEqual(await rowsOf(app), before)
    assert.equal((await console.get('keys')).status, 200, 'no request has logged out')
  })
})

const fields =
  'action all code confirm csrf_token current drop_tables email env expires_at hostname id in is_enabled level limits login name page password plan plan_id q remove response challenge role save setup state tenant_id to updated_at username value version __proto__ constructor'.split(
    ' ',
  )

const naughty = [
  '',
  ' ',
  '../../../etc/passwd',
  `'; drop table "operator"; --`,
  '<script>alert(1)</script>"\'`',
  '__proto__',
  '1e309',
  '99999999999999999999',
  '{"a":',
  '\r\nSet-Cookie: a=b',
  '\u202eevil\u{10ffff}\ufeff\u0301\u{1f469}\u200d\u{1f52c}',
  'ä'.repeat(1_000),
]

onEachStore('forms with anything in them', (store) => {
  test('are answered and never an error of the server', { timeout: 240_000 }, async () => {
    const world = await startConsoleWorld({ store })
    await using app = world.app
    const everyField = (value: string | readonly string[]) =>
      Object.fromEntries(fields.map((name) => [name, value]))
    const forms: Record<string, string | readonly string[]>[] = [
      {},
      ...naughty.map(everyField),
      everyField(['a', 'b', '']),
      Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`id${index}`, 'x'])),
      { id: Array.from({ length: 10_000 }, (_, index) => `x${index}`), action: 'enable' },
    ]
    for (const route of routesOf('POST')) {
      const client = await app.operator('operator')
      const path = addressOf(world, route)
      for (const [index, form] of forms.entries()) {
        const { status, text } = await client.post(path, form)
        assert.ok(status < 500, `POST ${path}, form ${index}: ${status} ${text.slice(0, 500)}`)
      }
      for (const bytes of ['%ff%fe=%00', '=&&=&%', 'a=%ed%a0%80', 'a=\0'])
        assert.ok((await raw(app, path, client, bytes)) < 500, `POST ${path} ${bytes}`)
    }
    for (const route of routesOf('GET')) {
      const path = addressOf(world, route)
      const queries = [...naughty.slice(0, -1), '%', 'ä'.repeat(300)].map((value) =>
        fields.map((name) => `${name}=${encodeURIComponent(value)}`).join('&'),
      )
      for (const query of [...queries, 'q=%00', 'q=%ff&page=%00&sort=%', '&&=&'])
        assert.ok((await app.console.get(`${path}?${query}`)).status < 500, `GET ${path}?${query}`)
    }
    for (const { path, method } of consoleRoutes.filter(({ path }) => path.includes('{'))) {
      for (const value of [
        '%00',
        '%',
        '%2e%2e%2f',
        '..',
        '%ff',
        "'",
        'x'.repeat(500),
        '%f0%9f%98%80',
        '0',
        '-1',
      ]) {
        const address = path.replaceAll(/\{\w+\}/g, value)
        const answer = method === 'GET' ? await app.console.get(address) : await app.console.post(address)
        assert.ok(answer.status < 500, `${method} ${address}: ${answer.status}`)
      }
    }
  })
})

const raw = async (app: TestConsole, path: string, { cookie, csrf }: TestConsole['console'], bytes: string) =>
  (
    await app.send('POST', consoleAddress(path), {
      bytes,
      headers: {
        host: 'console.test',
        cookie,
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        'x-csrf-token': csrf,
      },
    })
  ).status

function assertWithoutForms(path: string, page: string): void {
  const forms = [...page.matchAll(/<form\b[^>]*method="post"[^>]*action="([^"]*)"/g)].map(([, to = '']) => to)
  const others = forms.filter(
    (to) => to !== '/_/preferences' && !ownAccount.test(to.replace(/^\/_\/console\//, '')),
  )
  assert.deepEqual(others, [], `a viewer sees forms on ${path}`)
  assert.doesNotMatch(page, />Action<\/th>/, `a viewer sees a column for buttons on ${path}`)
}
