import assert from 'node:assert/strict'
import { test } from 'vitest'
import { openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { actingAs } from '../../src/control/index.ts'
import { askForMove } from '../../src/maintenance/index.ts'
import { onBothStores, sendRequest } from '../support/harness.ts'
import { heldBucket } from '../support/stores/held-bucket.ts'
import { freshInstallation, type Installation } from '../support/tool.ts'
import { until } from '../support/until.ts'
import { md5Of, multipartOf, picture } from '../support/uploads.ts'
import { recordedWork, workEnded, workOf } from '../support/work.ts'

const host = { host: 'cats.test' }

async function uploadTo(port: number, key: string, seed: number): Promise<{ path: string; md5: string }> {
  const file = await picture({ seed })
  const form = multipartOf([{ name: 'source', value: file, fileName: 'cat.png' }])
  const headers = { ...host, 'x-api-key': key, 'content-type': form.type }
  const { json, text } = await sendRequest(port, 'POST', '/api/1/upload', { bytes: form.bytes, headers })
  assert.ok(json?.image, text)
  return { path: new URL(json.image.url).pathname, md5: md5Of(file) }
}

async function assertServed(port: number, stored: readonly { path: string; md5: string }[]): Promise<void> {
  for (const { path, md5 } of stored) {
    const response = await fetch(`http://127.0.0.1:${port}${path}`, {
      headers: { 'x-forwarded-host': 'cats.test' },
    })
    assert.deepEqual([response.status, md5Of(Buffer.from(await response.arrayBuffer()))], [200, md5], path)
  }
}

const opened = ({ settings }: Installation) =>
  openApp(readConfig({ ...settings, SERVICE_LOG_LEVEL: 'silent' }, '/'))

onBothStores('a move whose server is killed', (store) => {
  test('goes on at another server, or at the next start, and ends with every byte', {
    timeout: 180_000,
  }, async () => {
    await using bucket = await heldBucket(3)
    await using installation = await freshInstallation(store, {
      SERVICE_DEMO: '0',
      SERVICE_TRUSTED_PROXIES: '127.0.0.1',
      SERVICE_TRUST_FORWARDED_HOST: '1',
    })
    const account = ['--username', 'ada', '--email', 'ada@example.com', '--password', 'a long password']
    await installation.json('tenants', 'create', '--id', 'cats', '--hostname', 'cats.test')
    const { api_key: key } = await installation.json('tenants', 'install', '--id', 'cats', ...account)
    await using victim = await installation.serve()
    const stored = []
    for (let seed = 1; seed <= 5; seed += 1) stored.push(await uploadTo(victim.port, key, seed))
    const env = JSON.stringify({ SERVICE_STORAGE_URL: bucket.url })
    await installation.json('tenants', 'edit', '--id', 'cats', '--env', env)

    await using app = await opened(installation)
    const control = actingAs(app.control, { kind: 'operator', id: 'g', name: 'grace' })
    // This process has started no runner, so the server takes it.
    await askForMove({ ...app, control }, 'cats')
    await until(bucket.isHolding, 'the server moves the tenant')
    const [running] = await workOf({ app })
    assert.equal(running?.leasedBy?.split('@')[0], String(victim.process.pid))
    if (store === 'sqlite') await victim.ended('SIGKILL')
    // On PostgreSQL the other server is there already.
    await using other = await installation.serve()
    if (store === 'postgres') await victim.ended('SIGKILL')
    bucket.release()

    const [row] = await workEnded({ app })
    assert.deepEqual([row?.state, row?.losses, row?.tries], ['done', 1, 2], row?.error ?? '')
    await assertServed(other.port, stored)
    stored.push(await uploadTo(other.port, key, 9))
    await assertServed(other.port, stored)
    assert.equal(bucket.objects.size, stored.length * 2)
    assert.deepEqual(await recordedWork({ app }), [
      'move.started cats operator grace',
      'move.finished cats operator grace',
    ])
    assert.equal(await other.ended('SIGTERM'), 0)
  })
})
