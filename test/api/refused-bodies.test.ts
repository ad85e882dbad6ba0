import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { assertRefusedLast, sendThenRead } from '../support/servers/behind-proxy.ts'
import type { FrontProxy } from '../support/servers/proxies.ts'
import type { TestTenant } from '../support/uploads.ts'

describe('a client that reads only after it has sent everything', () => {
  let app: TestApp
  let cats: TestTenant
  let direct: FrontProxy

  beforeAll(async () => {
    app = await startTestApp({ environment: { SERVICE_MAX_UPLOAD_SIZE: '1M' } })
    cats = await app.tenant('cats')
    direct = { ...app, scheme: 'http', log: async () => '' }
  })
  afterAll(() => app?.[Symbol.asyncDispose]())

  test('gets the reason why its body is refused', () => assertRefusedLast(direct, cats))

  test('is cut off if its body is larger than 256 MB', async () => {
    const head = ['POST /api/5/files HTTP/1.1', `Host: ${cats.hostname}`, 'X-API-Key: trc_wrong']
    await assert.rejects(sendThenRead(direct, head, 600_000_000), /EPIPE|ECONNRESET/)
  })
})
