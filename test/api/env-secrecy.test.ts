import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import pg from 'pg'
import { test } from 'vitest'
import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { readTenant } from '../../src/tenants/index.ts'
import { managementPath, onEachStore, sendRequest, startTestApp, type TestApp } from '../support/harness.ts'
import { startChildServer } from '../support/servers/child-server.ts'

const canary = (name: string) => `canary.${name}.${randomBytes(8).toString('hex')}`
const tenantBody = (id: string) => ({ id, hostname: `${id}.test`, is_enabled: true })

onEachStore('secrecy of env', (store) => {
  test('what is set is nowhere in files, tables or logs, neither then nor later, and nor are keys', async () => {
    await using app = await startTestApp({ store })
    await using server = await startChildServer({ ...app.environment, SERVICE_LOG_LEVEL: 'trace' })
    const secrets = { A: canary('a'), B: canary('b'), C: canary('c'), D: canary('d'), E: canary('e') }
    const call = (method: string, path: string, body?: unknown) => {
      const bytes = body === undefined ? '' : JSON.stringify(body)
      const headers = {
        'x-api-key': app.key,
        'x-signature': app.sign(bytes),
        ...(bytes === '' ? {} : { 'content-type': 'application/json' }),
      }
      return sendRequest(server.port, method, `${managementPath}/${path}`, { bytes, headers })
    }
    const checkHidden = async () => {
      const places = [...(await bytesOf(app)), { name: 'logs', text: server.output() }]
      for (const { name, text } of places) {
        const isSafe = name.startsWith(join(app.dataDir, 'secrets'))
        for (const secret of [...Object.values(secrets), app.key, ...(isSafe ? [] : [app.secret])]) {
          for (const form of [secret, btoa(secret).slice(0, 20)])
            assert.ok(!text.includes(form), `found in ${name}`)
        }
      }
    }

    assert.equal((await call('POST', 'tenants-plans', { id: 'gold', env: { P: secrets.A } })).status, 201)
    const body = { ...tenantBody('cats'), plan_id: 'gold', env: { T: secrets.B } }
    assert.equal((await call('POST', 'tenants', body)).status, 201)
    assert.equal((await call('GET', 'tenants/cats/effective')).json.env.P.value, secrets.A)
    await checkHidden()

    assert.equal((await call('PATCH', 'tenants/cats', { env: { T: secrets.C } })).status, 204)
    assert.equal((await call('GET', 'tenants/cats')).json.env.T, secrets.C)
    assert.equal((await call('POST', 'tenants', { ...body, id: 'dogs', env: { T: secrets.D } })).status, 409)
    const long = await call('PATCH', 'tenants/cats', { env: { T: secrets.E.repeat(200) } })
    assert.equal(long.status, 400)
    assert.ok(!long.text.includes(secrets.E))
    await checkHidden()

    await unsealedByHand(app, 'cats', JSON.stringify({ T: secrets.E.replaceAll('.', '') }))
    assert.equal((await call('GET', 'tenants/cats')).status, 503)
    assert.ok(!server.output().includes(secrets.E.replaceAll('.', '')))

    assert.equal((await call('DELETE', 'tenants/cats', { drop_tables: true })).status, 204)
    assert.equal((await call('DELETE', 'tenants-plans/gold')).status, 204)
    await checkHidden()
    assert.notEqual(server.output(), '')
  })

  test('what was sealed for one tenant opens for no other, and only that one is in trouble', async () => {
    await using app = await startTestApp({ store })
    const secret = canary('cats')
    await app.tenant('cats')
    await app.tenant('dogs')
    await app.call('PATCH', 'tenants/cats', { env: { SECRET: secret } })
    await app.call('PATCH', 'tenants/dogs', { env: { SECRET: 'of dogs' } })
    await app.call('POST', 'tenants-plans', { id: 'cats', env: { SECRET: canary('plan') } })

    const visit = (id: string) => app.send('GET', '/', { headers: { host: `${id}.test` } })
    const checkTrouble = async () => {
      for (const answer of [
        await app.call('GET', 'tenants/dogs'),
        await app.call('GET', 'tenants/dogs/effective'),
        await app.call('POST', 'tenants/dogs/install', account),
        await app.call('PATCH', 'tenants/dogs/user-password-reset', { username: 'ada' }),
        await app.call('GET', 'tenants'),
        await visit('dogs'),
      ]) {
        assert.equal(answer.status, 503)
        assert.equal(answer.headers['retry-after'], '5')
        assert.doesNotMatch(answer.text, /canary|key|[0-9a-f]{12}/)
        assert.match(answer.json.error.message, /tenant dogs/)
      }
      assert.equal((await app.call('GET', 'tenants/cats')).json.env.SECRET, secret)
      assert.equal((await app.call('GET', 'tenants-plans')).status, 200)
      assert.equal((await visit('cats')).status, 200)
      const headers = { 'x-api-key': app.key }
      const { json } = await app.send('GET', `${managementPath}/config/proxy`, { headers })
      assert.deepEqual(Object.keys(json.http.routers), ['*', 'cats', 'dogs'])
    }

    await moveBlob(app, { from: ['tenant', 'cats'], to: 'dogs' })
    await checkTrouble()
    await moveBlob(app, { from: ['plan', 'cats'], to: 'dogs' })
    await checkTrouble()
    for (const broken of ['', '.', 'x', `${'0'.repeat(12)}.AAAA.AAAA.AAAA`, `${secret}....`]) {
      await unsealedByHand(app, 'dogs', broken)
      await checkTrouble()
    }

    assert.equal((await app.call('PATCH', 'tenants/dogs', { is_enabled: true })).status, 204)
    await checkTrouble()
    assert.equal((await app.call('PATCH', 'tenants/dogs', { env: { SECRET: 'new' } })).status, 204)
    assert.equal((await app.call('GET', 'tenants/dogs')).json.env.SECRET, 'new')
    assert.equal((await visit('dogs')).status, 200)
    await moveBlob(app, { from: ['plan', 'cats'], to: 'dogs' })
    assert.equal((await app.call('DELETE', 'tenants/dogs', { drop_tables: true })).status, 204)
    assert.equal((await app.call('GET', 'tenants')).status, 200)
  })

  test('a plan that cannot be opened troubles its own tenants only', async () => {
    await using app = await startTestApp({ store })
    await app.tenant('cats')
    await app.tenant('dogs')
    await app.call('POST', 'tenants-plans', { id: 'gold', env: { A: 'a' } })
    await app.call('PATCH', 'tenants/cats', { plan_id: 'gold' })
    await app.app.control.store.changeControl((db) =>
      db.updateTable('plan').set({ env: 'x.y.z.w' }).execute(),
    )
    const visit = async (id: string) =>
      (await app.send('GET', '/', { headers: { host: `${id}.test` } })).status
    assert.deepEqual([await visit('cats'), await visit('dogs')], [503, 200])
    assert.equal((await app.call('GET', 'tenants-plans/gold')).status, 503)
    assert.equal((await app.call('GET', 'tenants')).status, 200)
    assert.equal((await app.call('PATCH', 'tenants-plans/gold', { env: { A: 'b' } })).status, 204)
    assert.equal(await visit('cats'), 200)
  })

  test('a server with another key does not start, and says which setting is wrong', async () => {
    const [right = '', wrong = ''] = [randomBytes(32), randomBytes(32)].map((key) => key.toString('base64'))
    await using app = await startTestApp({ store, environment: { SERVICE_ENCRYPTION_KEY: right } })
    const beside = { ...app.environment, SERVICE_ENCRYPTION_KEY: wrong }
    await assert.rejects(startChildServer(beside), (error: Error) => {
      assert.match(error.message, /SERVICE_ENCRYPTION_KEY/)
      assert.ok(!error.message.includes(wrong) && !error.message.includes(right))
      return true
    })
    // With no setting a key is made, or one from an earlier time is found: neither is the right one.
    const { SERVICE_ENCRYPTION_KEY: _, ...unset } = app.environment
    await assert.rejects(startChildServer(unset), /SERVICE_ENCRYPTION_KEY/)
    await assert.doesNotReject(
      startChildServer(app.environment).then((server) => server[Symbol.asyncDispose]()),
    )
  })

  test('of several keys the first seals and all of them open', async () => {
    const keys = [1, 2, 3].map(() => randomBytes(32).toString('base64'))
    const [oldest = '', middle = '', newest = ''] = keys
    await using app = await startTestApp({ store, environment: { SERVICE_ENCRYPTION_KEY: oldest } })
    await app.call('POST', 'tenants', { ...tenantBody('a'), env: { V: '1' } })
    const withKeys = (...list: string[]) =>
      openApp(readConfig({ ...app.environment, SERVICE_ENCRYPTION_KEY: list.join(',') }, '/'))
    {
      await using beside = await withKeys(middle, oldest)
      assert.deepEqual((await readTenant(beside.control, 'a')).env, { V: '1' })
    }
    const server = await startTestApp({
      beside: app,
      environment: { SERVICE_ENCRYPTION_KEY: `${newest}, ${oldest}` },
    })
    await server.call('POST', 'tenants', { ...tenantBody('b'), env: { V: '2' } })
    assert.equal((await server.call('GET', 'tenants')).json.length, 2)
    await server[Symbol.asyncDispose]()

    assert.equal((await app.call('GET', 'tenants/a')).status, 200)
    assert.equal((await app.call('GET', 'tenants/b')).status, 503)
    const ids = await sealIds(app)
    assert.equal(new Set(ids).size, 2)
  })
})

const account = { username: 'ada', email: 'ada@example.com', password: 'correct horse' }

async function sealIds({ app }: TestApp): Promise<string[]> {
  const rows = await app.control.store.control.selectFrom('tenant').select('env').execute()
  return rows.map(({ env }) => env?.split('.')[0] ?? '')
}

function unsealedByHand({ app }: TestApp, id: string, env: string): Promise<unknown> {
  return app.control.store.changeControl((db) =>
    db.updateTable('tenant').set({ env }).where('id', '=', id).execute(),
  )
}

async function moveBlob(
  app: TestApp,
  { from: [table, id], to }: { from: ['tenant' | 'plan', string]; to: string },
) {
  const { env } = await app.app.control.store.control
    .selectFrom(table)
    .select('env')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  await unsealedByHand(app, to, env ?? '')
}

/** Every byte that the installation keeps. */
async function bytesOf({ dataDir, environment }: TestApp): Promise<{ name: string; text: string }[]> {
  const entries = await readdir(dataDir, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const texts = files.map(async (name) => ({ name, text: await readFile(name, 'latin1') }))
  const url = environment.SERVICE_DATABASE_URL
  return [...(await Promise.all(texts)), ...(url === undefined ? [] : await dumpOf(url))]
}

async function dumpOf(url: string): Promise<{ name: string; text: string }[]> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    const tables = await client.query(`select tablename from pg_tables where schemaname = 'public'`)
    const dump = []
    for (const { tablename: name } of tables.rows) {
      const { rows } = await client.query(`select t::text as row from ${pg.escapeIdentifier(name)} as t`)
      dump.push({ name, text: rows.map(({ row }) => row).join('\n') })
    }
    return dump
  } finally {
    await client.end()
  }
}
