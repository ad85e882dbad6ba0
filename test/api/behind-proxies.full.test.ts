import { test } from 'vitest'
import { freePort, startTestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import {
  assertClientAddresses,
  assertRefusedLast,
  assertSlowUpload,
  assertStalledBodies,
  hurry,
} from '../support/servers/behind-proxy.ts'
import { behind, startCaddy, startNginx } from '../support/servers/proxies.ts'

const proxies = [
  { name: 'nginx', needed: await needing('nginx'), start: startNginx },
  { name: 'Caddy', needed: await needing('caddy'), start: startCaddy },
]

for (const { name, needed, start } of proxies) {
  needed.describe(`behind ${name} as operations.md configures it`, () => {
    test('clients are known by their own addresses and cannot speak for the proxy', async () => {
      const port = await freePort()
      await using app = await startTestApp({ environment: behind(port) })
      await app.tenant('cats')
      await app.tenant('dogs')
      const environment = {
        SERVICE_TENANTS_API_IP_ALLOW_LIST: '10.0.0.0/8',
        SERVICE_TRUST_FORWARDED_HOST: '1',
      }
      await using listed = await startTestApp({ environment, beside: app })
      await using proxy = await start(listed, port)
      await assertClientAddresses(listed, proxy)
    })

    test('an upload may last longer than any time-out of the block', async () => {
      const port = await freePort()
      await using app = await startTestApp({ environment: behind(port) })
      const cats = await app.tenant('cats')
      await using proxy = await start(app, port, hurry)
      await assertSlowUpload(proxy, cats)
    })

    test('half a body is refused by Terrace, and the sender gets the status', async () => {
      const port = await freePort()
      const environment = { ...behind(port), SERVICE_BODY_STALL_SECONDS: '2' }
      await using app = await startTestApp({ environment })
      const cats = await app.tenant('cats')
      await using proxy = await start(app, port)
      await assertStalledBodies(proxy, cats)
    })

    test('a client that reads only after it has sent everything gets the reason of a refusal', async () => {
      const port = await freePort()
      const environment = { ...behind(port), SERVICE_MAX_UPLOAD_SIZE: '1M' }
      await using app = await startTestApp({ environment })
      const cats = await app.tenant('cats')
      await using proxy = await start(app, port)
      await assertRefusedLast(proxy, cats)
    })
  })
}
