import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { test } from 'vitest'
import { freePort, onEachStore, sendRequest } from '../support/harness.ts'
import { freshInstallation } from '../support/tool.ts'
import { until } from '../support/until.ts'

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
    assert.equal((await fetch(uploaded.image.url)).status, 200)

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

onEachStore('the demo site', (store) => {
  test('gets twelve pictures in two albums, which visitors find, and says that it is a demo', async () => {
    await using installation = await freshInstallation(store)
    const port = await freePort()
    await using _served = await installation.serve({ PORT: String(port) })
    const files = async () => (await installation.json('tenants', 'get', '--id', 'demo')).stats.files
    await until(async () => (await files()) === 12, 'twelve pictures')

    const read = async (path: string) => (await fetch(`http://localhost:${port}${path}`)).text()
    const explore = await read('/explore')
    assert.match(explore, /This is a demo site\. To create your own, run <code>bin\/tenants create<\/code>/)
    for (const title of ['First light', 'Moonrise', 'Strata']) assert.ok(explore.includes(title), title)
    const albums = await installation.json('site', '--tenant', 'demo', 'album:list')
    const counts = albums.map(({ title, files }: { title: string; files: number }) => [title, files])
    assert.deepEqual(Object.fromEntries(counts), { 'Hills and terraces': 8, Patterns: 4 })

    await installation.json('site', '--tenant', 'demo', 'setting:set', 'show_demo_notice', '0')
    assert.doesNotMatch(await read('/explore'), /demo site/)
  })

  test('keeps the pictures that it has if the server is stopped while it draws', async () => {
    await using installation = await freshInstallation(store)
    await using first = await installation.serve()
    const files = async () => (await installation.json('tenants', 'get', '--id', 'demo')).stats.files
    await until(async () => (await files()) > 0, 'a picture')
    assert.equal(await first.ended('SIGTERM'), 0)
    const kept = await files()
    await using _second = await installation.serve()
    assert.equal(await files(), kept)
    assert.equal((await installation.run('doctor')).code, 0)
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
