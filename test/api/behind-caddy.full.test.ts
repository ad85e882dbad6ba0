import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import { test } from 'vitest'
import { freePort, startTestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { assertServedAlike, assertUploads } from '../support/servers/behind-proxy.ts'
import { askProxy, behind, startCaddy } from '../support/servers/proxies.ts'

const proxied = await needing('caddy')
proxied.describe('behind Caddy as operations.md configures it', () => {
  test('uploads, ranges and cache headers are as without it', async () => {
    const port = await freePort()
    await using app = await startTestApp({ environment: behind(port) })
    const cats = await app.tenant('cats')
    await using proxy = await startCaddy(app, port)
    const { image } = (await assertUploads(app, proxy, cats)).json
    await assertServedAlike(app, proxy, image)
  })

  test('a certificate is made for the hosts of tenants alone', async () => {
    const port = await freePort()
    await using app = await startTestApp({ environment: behind(port) })
    await app.tenant('cats')
    await using proxy = await startCaddy(app, port)
    assert.equal((await askProxy(proxy, '/')).status, 200)
    await assert.rejects(askProxy(proxy, '/', { host: 'nobody.test' }), /alert|ECONNRESET|handshake/i)
  })

  test('300 calls with a body on lasting connections are all answered', async () => {
    const port = await freePort()
    await using app = await startTestApp({ environment: behind(port) })
    await app.tenant('cats')
    await using proxy = await startCaddy(app, port)
    using agent = disposable(new Agent({ keepAlive: true, maxSockets: 4 }))
    const body = '{}'
    const headers = {
      'content-type': 'application/json',
      'x-api-key': app.key,
      'x-signature': app.sign(body),
    }
    const call = { method: 'POST', bytes: body, headers, agent: agent.value }
    const answers = await Promise.all(
      Array.from({ length: 300 }, () => askProxy(proxy, '/_/api/4/auth/verify', call)),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  })
})

const disposable = (value: Agent) => ({ value, [Symbol.dispose]: () => value.destroy() })
