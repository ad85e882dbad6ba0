import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { freePort, startTestApp, type TestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { assertServedAlike, assertUploads } from '../support/servers/behind-proxy.ts'
import { askProxy, behind, type FrontProxy, startNginx } from '../support/servers/proxies.ts'
import { startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { runHere } from '../support/tool.ts'
import { picture, uploaded } from '../support/uploads.ts'

const proxied = await needing('nginx')
proxied.describe('behind nginx as operations.md configures it', () => {
  test('uploads, ranges and cache headers are as without it, before a move, after it and back', async () => {
    await using stub = await startS3Stub()
    const port = await freePort()
    await using app = await startTestApp({ environment: behind(port) })
    const cats = await app.tenant('cats')
    await using proxy = await startNginx(app, port)
    const { image } = (await assertUploads(app, proxy, cats)).json

    for (const [values, isSentByNginx] of [
      [undefined, /^\/terrace-files\/sites\/\d+\/files\//],
      [{ SERVICE_STORAGE_URL: stub.url }, /^$/],
      [{}, /^\/terrace-files\/bytes\/\d+-\d+\/files\//],
    ] as const) {
      if (values) await move(app, cats.id, values)
      await assertServedAlike(app, proxy, image)
      const path = new URL(image.url).pathname
      assert.match(await accelPath(proxy, path), isSentByNginx)
      for (const query of ['width=320&format=webp', 'width=500'])
        assert.match(await accelPath(proxy, `${path}?${query}`), isSentByNginx)
    }
  })

  test('files that nginx cannot read are sent by Terrace, and a missing one is kept by no cache', async () => {
    const port = await freePort()
    await using app = await startTestApp({ environment: behind(port) })
    const cats = await app.tenant('cats')
    await using proxy = await startNginx(app, port, { dataDir: '/nowhere' })
    const { image } = (await assertUploads(app, proxy, cats)).json
    const path = new URL(image.url).pathname
    const direct = await askProxy({ ...proxy, port: app.port }, path)
    const sent = await askProxy(proxy, path)
    assert.deepEqual([direct.status, sent.status], [200, 200])
    assert.ok(sent.bytes.equals(direct.bytes))
    assert.equal(sent.headers.etag, direct.headers.etag)
    await rm(join(app.dataDir, 'sites'), { recursive: true })
    const missing = await askProxy(proxy, path)
    assert.ok(missing.status >= 400, String(missing.status))
    // nginx keeps the header of the answer that named the file; no-store is the stricter of the two.
    assert.match(String(missing.headers['cache-control']), /\bno-store$/)
  })

  test('nothing of the data folder is served by its address, nor anything but bytes of files', async () => {
    const port = await freePort()
    await using app = await startTestApp({ environment: behind(port) })
    const cats = await app.tenant('cats')
    await using proxy = await startNginx(app, port)
    const { image } = (await assertUploads(app, proxy, cats)).json
    await askProxy(proxy, new URL(image.url).pathname)
    const installation = await accelPath(proxy, new URL(image.url).pathname)
    assert.match(installation, /^\/terrace-files\/sites\//)
    for (const path of [
      installation,
      '/terrace-files/control.db',
      '/terrace-files/secrets/request-secret',
      installation.replace(/files\/.*/, 'site.db'),
      installation.replace(/files\/.*/, 'files/../site.db'),
    ])
      assert.equal((await askProxy(proxy, path)).status, 404, path)
    // A proof is of one prefix, and a client's own header does not reach us.
    const proof = createHmac('sha256', app.secret).update('/other').digest('hex')
    const forged = await askProxy(proxy, new URL(image.url).pathname, {
      headers: { 'x-terrace-accel': `/other ${proof}` },
    })
    assert.equal(forged.bytes.length, image.size)
  })
})

test('answers that vary are sent by a proxy only if it says that it keeps `Vary`', async () => {
  await using app = await startTestApp({ environment: behind(80) })
  const cats = await app.tenant('cats')
  const { url } = await uploaded(app, cats, { file: await picture({ width: 900, height: 600 }) })
  const older = `/inner ${app.sign('/inner')}`
  for (const address of [`${url}?width=320`, `${url}?width=320&format=webp`])
    for (let time = 0; time < 3; time += 1) {
      const varies = !address.includes('format')
      const sent = await ask(app, address, { 'x-terrace-accel': older })
      assert.equal(sent.headers.vary, varies ? 'Accept' : undefined)
      // The first answer has the bytes that were made for it.
      assert.equal(sent.headers['x-accel-redirect'] !== undefined, !varies && time > 0)
      assert.equal(sent.bytes.length > 0, varies || time === 0)
      const { headers } = await ask(app, address, { 'x-terrace-accel': `${older} vary` })
      assert.equal(headers.vary, sent.headers.vary)
      assert.match(String(headers['x-accel-redirect']), /^\/inner\/.*\/derived\//)
    }
})

async function move(app: TestApp, id: string, values: Record<string, string>): Promise<void> {
  assert.equal((await app.call('PATCH', `tenants/${id}`, { env: values })).status, 204)
  const { code, err } = await runHere(['tenants', 'move', '--id', id, '--json'], app.environment)
  assert.equal(code, 0, err)
}

/** Where Terrace told nginx last that the bytes of an address lie; empty where it sent them itself. */
async function accelPath(proxy: FrontProxy, path: string): Promise<string> {
  await askProxy(proxy, path)
  const lines = (await proxy.log()).split('\n').filter((line) => line.startsWith(`GET ${path} `))
  return lines.at(-1)?.split(' ')[2]?.replace(/^-$/, '') ?? assert.fail('nginx was not asked')
}
