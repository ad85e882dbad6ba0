import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { test } from 'vitest'
import { freePort, onEachStore, sendRequest } from '../support/harness.ts'
import { freshInstallation } from '../support/tool.ts'

const uploadLineOf = (printed: string) => /^ {2}(curl .*\/api\/1\/upload')$/m.exec(printed)?.[1] ?? ''

async function pasted(line: string) {
  const { stdout } = await promisify(execFile)('bash', ['-c', line])
  return JSON.parse(stdout)
}

onEachStore('the first start', (store) => {
  test('prints a command that uploads, and the server applies settings that the tool changes', async () => {
    await using installation = await freshInstallation(store)
    const port = await freePort()
    await using served = await installation.serve({ PORT: String(port) })
    const line = uploadLineOf(served.text)
    assert.ok(line.endsWith(` 'http://localhost:${port}/api/1/upload'`), line)
    const uploaded = await pasted(line)
    assert.deepEqual(
      [uploaded.status_code, uploaded.image?.width, uploaded.image?.extension],
      [200, 64, 'png'],
    )
    assert.equal((await installation.json('tenants', 'get', '--id', 'demo')).stats.files, 1)

    const publicKey = 'a-key-for-every-guest'
    const guestUpload = async () => {
      const headers = { host: 'localhost', 'content-type': 'application/x-www-form-urlencoded' }
      const source = /source=([^']+)/.exec(line)?.[1] ?? ''
      const bytes = `key=${publicKey}&source=${encodeURIComponent(source)}`
      return (await sendRequest(port, 'POST', '/api/1/upload', { headers, bytes })).status
    }
    const set = ['site', '--tenant', 'demo', 'setting:set']
    assert.equal(await guestUpload(), 400)
    await installation.json(...set, 'public_key', publicKey)
    assert.equal(await guestUpload(), 200)
    await installation.json(...set, 'enable_guest_uploads', '0')
    assert.equal(await guestUpload(), 403)
  })
})

test('behind a proxy the printed command reaches the server directly', async () => {
  await using installation = await freshInstallation('sqlite', { SERVICE_PUBLIC_SCHEME: 'https' })
  const port = await freePort()
  await using served = await installation.serve({ PORT: String(port) })
  assert.match(served.text, /^ {2}Site +https:\/\/localhost\/$/m)
  const line = uploadLineOf(served.text)
  assert.ok(line.includes(` -H 'Host: localhost' `) && line.includes(`'http://127.0.0.1:${port}/api`), line)
  assert.equal((await pasted(line)).status_code, 200)
})
