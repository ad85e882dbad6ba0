import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { runHere } from '../support/tool.ts'
import { until } from '../support/until.ts'

const account = ['--username', 'ada', '--email', 'ada@example.com', '--password', 'correct horse battery']

onEachStore('the address that tenants install prints', (store) => {
  /** Creates and installs a tenant by the tool, without the server's settings for its public address. */
  async function installedUrl(environment: Record<string, string>, id: string, more = {}): Promise<string> {
    const { SERVICE_PUBLIC_SCHEME: _scheme, SERVICE_PUBLIC_PORT: _port, ...bare } = environment
    const run = async (...args: string[]) => {
      const { code, out, err } = await runHere([...args, '--json'], { ...bare, ...more })
      assert.equal(code, 0, err)
      return JSON.parse(out)
    }
    await run('tenants', 'create', '--id', id, '--hostname', `${id}.example.com`)
    return (await run('tenants', 'install', '--id', id, ...account)).url
  }

  test('is that of the server, unless the environment of the tool sets one', async () => {
    const environment = { SERVICE_PUBLIC_SCHEME: 'https', SERVICE_PUBLIC_PORT: '8443' }
    await using app = await startTestApp({ store, environment })
    await app.send('GET', '/_/health/live')
    assert.equal(await installedUrl(app.environment, 'cats'), 'https://cats.example.com:8443/')
    const own = { SERVICE_PUBLIC_SCHEME: 'http' }
    assert.equal(await installedUrl(app.environment, 'dogs', own), 'http://dogs.example.com/')
  })

  test('has the scheme that a trusted proxy names, and https if it names both', async () => {
    await using app = await startTestApp({ store, environment: { SERVICE_TRUSTED_PROXIES: '127.0.0.1' } })
    const ask = (scheme: string) =>
      app.send('GET', '/_/health/live', { headers: { 'x-forwarded-proto': scheme } })
    let count = 0
    const urlIs = (expected: string) =>
      until(async () => {
        count += 1
        const id = `site-${count}`
        return (await installedUrl(app.environment, id)) === `${expected}://${id}.example.com/`
      }, `the address has ${expected}`)
    await ask('http')
    await urlIs('http')
    await ask('https')
    await ask('http')
    await urlIs('https')
  })
})
