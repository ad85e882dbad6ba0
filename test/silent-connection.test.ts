import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { test } from 'vitest'
import { startTestApp } from './harness.ts'

test('a server whose notices stop coming, without its connection breaking, still sees changes within a second', async () => {
  await using here = await startTestApp({ store: 'postgres' })
  const url = new URL(String(here.environment.SERVICE_DATABASE_URL))
  await using proxy = await startProxy(Number(url.port))
  url.port = String(proxy.port)
  await using there = await startTestApp({ beside: here, environment: { SERVICE_DATABASE_URL: url.href } })
  const { id, hostname } = await here.tenant('cats')
  const visit = async () => (await there.send('GET', '/', { headers: { host: hostname } })).status
  const switchAndSee = async (isEnabled: boolean) => {
    await here.call('PATCH', `tenants/${id}`, { is_enabled: isEnabled })
    const start = performance.now()
    while ((await visit()) !== (isEnabled ? 200 : 403))
      assert.ok(performance.now() - start < 1_000, 'not seen within a second')
  }
  assert.equal(await visit(), 200)

  proxy.silence('terrace-watch')
  for (let round = 0; round < 8; round += 1) await switchAndSee(round % 2 === 1)
  proxy.restore()
  for (let round = 0; round < 8; round += 1) await switchAndSee(round % 2 === 1)
})

/** Stands before PostgreSQL and can let the connections of one kind fall silent. */
async function startProxy(target: number) {
  let silenced: string | undefined
  const sockets = new Set<Socket>()
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    let name = ''
    const isSilent = () => silenced !== undefined && name.includes(silenced)
    client.on('data', (chunk) => {
      if (name === '') name = chunk.toString('latin1')
      if (!isSilent()) upstream.write(chunk)
    })
    upstream.on('data', (chunk) => isSilent() || client.write(chunk))
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => other.destroy())
    }
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    silence(kind: string) {
      silenced = kind
    },
    restore() {
      silenced = undefined
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
