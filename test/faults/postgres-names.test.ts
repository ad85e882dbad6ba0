import assert from 'node:assert/strict'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server } from 'node:net'
import { test } from 'vitest'
import { send } from '../support/clients/upload-load.ts'
import { needing } from '../support/needs.ts'
import { bugsOf, startCluster } from '../support/servers/cluster.ts'
import { ownNames } from '../support/servers/own-names.ts'
import { promote, startPostgresPair } from '../support/stores/postgres-pair.ts'
import type { PostgresServer } from '../support/stores/postgres-server.ts'
import { until } from '../support/until.ts'
import { picture } from '../support/uploads.ts'

const naming = await needing('mount namespace')

/** Leads connections to the address and port on to the server. */
async function standBefore({ url }: PostgresServer, address: string, port = 0): Promise<Server> {
  const server = createServer((one) => {
    const two = connect(Number(new URL(url).port), '127.0.0.1')
    for (const [from, to] of [
      [one, two],
      [two, one],
    ] as const) {
      from.on('error', () => to.destroy())
      from.on('close', () => to.destroy())
      from.pipe(to)
    }
  })
  await once(server.listen(port, address), 'listening')
  return server
}

const portOf = (server: Server) => (server.address() as AddressInfo).port

naming.test(
  'a name that leads to another address after a fail-over: uploads go on there, none is lost',
  async () => {
    await using pair = await startPostgresPair()
    await using names = await ownNames()
    await using before = new AsyncDisposableStack()
    const first = before.adopt(await standBefore(pair.one, '127.0.0.1'), (server) => void server.close())
    const port = portOf(first)
    before.adopt(await standBefore(pair.two, '127.0.0.2', port), (server) => void server.close())
    await names.lead('database.test', '127.0.0.1')
    await using cluster = await startCluster(0, { databaseUrl: pair.url('') })
    const cats = await cluster.tenant('cats')
    await using server = await cluster.start({
      environment: { SERVICE_DATABASE_URL: `postgres://postgres@database.test:${port}/postgres` },
      through: names.through,
    })
    let seed = 0
    let stored = 0
    const upload = async () => {
      seed += 1
      const { status, text } = await send(server, cats, await picture({ seed }))
      if (status === 200) stored += 1
      else assert.equal(status, 503, text)
      return status === 200
    }
    assert.ok(await upload())

    await pair.one.end('SIGINT')
    await promote(pair.two)
    await names.lead('database.test', '127.0.0.2')
    await until(upload, 'uploads are stored by the new primary')
    await pair.follow(pair.one, pair.two)
    await pair.two.end('SIGKILL')
    await promote(pair.one)
    await names.lead('database.test', '127.0.0.1')
    await until(upload, 'uploads are stored by the first one again')

    await cluster.tool('tenants', 'stats:refresh', '--id', cats.id)
    assert.equal((await cluster.stats(cats.id)).files, stored)
    assert.deepEqual(bugsOf([server]), [])
  },
  300_000,
)

test('a host that takes connections and says nothing holds up neither the start nor a fail-over', async () => {
  await using pair = await startPostgresPair()
  await using open = new AsyncDisposableStack()
  const silent = open.adopt(createServer(), (server) => void server.close())
  await once(silent.listen(0, '127.0.0.1'), 'listening')
  const both = pair.url('target_session_attrs=read-write').replace('@', `@127.0.0.1:${portOf(silent)},`)
  await using cluster = await startCluster(1, { databaseUrl: both })
  const [server] = cluster.servers
  assert.ok(server)
  const cats = await cluster.tenant('cats')
  assert.equal((await send(server, cats, await picture({ seed: 1 }))).status, 200)

  await pair.one.end('SIGKILL')
  await promote(pair.two)
  const upload = async () => (await send(server, cats, await picture({ seed: 2 }))).status === 200
  await until(upload, 'uploads are stored by the new primary')
  assert.equal((await cluster.stats(cats.id)).files, 2)
  assert.deepEqual(bugsOf([server]), [])
}, 300_000)
