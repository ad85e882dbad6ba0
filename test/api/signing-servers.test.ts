import assert from 'node:assert/strict'
import { test } from 'vitest'
import { inTransaction } from '../../src/db/index.ts'
import { changingSite, deriveSiteKey } from '../../src/site/index.ts'
import { readLocation, rotateKeys, rotateSigningKey } from '../../src/tenants/index.ts'
import { ask } from '../support/delivered.ts'
import { assertHealthy } from '../support/doctor.ts'
import { onEachStore, sendRequest, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { startServers, times } from '../support/servers/several-servers.ts'
import { bare, rotateKey, showKey, signedBy, siteWithPictures } from '../support/signing.ts'
import { startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { runHere } from '../support/tool.ts'
import { until } from '../support/until.ts'
import { onSiteOf, type TestTenant, uploaded } from '../support/uploads.ts'

const statusOf = async (at: { port: number }, url: string) => (await ask(at, url)).status

const processOf = ({ further }: TestApp) => {
  const port = further[0]?.port ?? 0
  const send: TestApp['send'] = (method, path, call) => sendRequest(port, method, path, call)
  return { port, send }
}

/** Rotates in the site's own rows alone, as a server that is killed before it has published the keys. */
const rotateUnpublished = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, async (site) => {
    const { control, requestSecret } = app.app
    const derivedKey = deriveSiteKey(requestSecret, site, 'addresses')
    const rotation = { record: await readLocation(control, site.number), derivedKey, overlapSeconds: 60 }
    const keys = await inTransaction(site.db, (db) =>
      rotateSigningKey(control, { ...changingSite(site), db }, rotation),
    )
    return keys.key.toString('hex')
  })

onEachStore('keys on several servers', (store) => {
  test('a key that was rotated or has ended counts on the other server, and in the other process', async () => {
    await using servers = await startServers(store)
    await using several = await startTestApp({ store, processes: 2 })
    const pairs = [
      [servers.first, servers.all.at(-1) ?? servers.first],
      [several, processOf(several)],
    ] as const
    for (const [one, other] of pairs) {
      const { cats, key, hidden } = await siteWithPictures(one)
      const path = bare(hidden.url)
      const first = await showKey(other, cats, key)
      // Bytes and addresses are in the memory of both.
      for (const at of [one, other, one, other]) assert.equal(await statusOf(at, hidden.url), 200)
      const rotated = await rotateKey(one, cats, key, { overlap: 60 })
      await until(
        async () => (await statusOf(other, signedBy(rotated.key, path))) === 200,
        'the new key counts',
      )
      assert.equal(await statusOf(one, signedBy(rotated.key, path)), 200)
      for (const at of [one, other]) assert.equal(await statusOf(at, signedBy(first.key, path)), 200)
      const second = await rotateKey(other, cats, key)
      await until(async () => (await statusOf(one, signedBy(rotated.key, path))) === 404, 'the old key ends')
      assert.equal(await statusOf(other, signedBy(rotated.key, path)), 404)
      for (const at of [one, other]) {
        await until(async () => (await statusOf(at, signedBy(second.key, path))) === 200, 'the newest counts')
        assert.equal((await showKey(at, cats, key)).key, second.key)
      }
      if (one === several) continue
      const keys = await Promise.all(
        times(8, (index) => rotateKey(index % 2 ? one : other, cats, key, { overlap: 60 })),
      )
      await until(async () => {
        const [here, there] = [await showKey(one, cats, key), await showKey(other, cats, key)]
        return here.key === there.key && keys.some((each) => each.key === here.key)
      }, 'both servers have the same keys')
      assert.equal(new Set([second, ...keys].map((each) => each.key)).size, 9)
    }
  })

  test('what a killed server has not published is published by the next sync, rotation or job', async () => {
    await using app = await startTestApp({ store })
    const { cats, key, hidden } = await siteWithPictures(app)
    const path = bare(hidden.url)
    const first = await showKey(app, cats, key)
    const made = await rotateUnpublished(app, cats)
    assert.equal((await showKey(app, cats, key)).key, first.key)
    assert.equal(await statusOf(app, signedBy(made, path)), 404)
    await uploaded(app, cats)
    assert.equal((await showKey(app, cats, key)).key, made)
    assert.deepEqual([await statusOf(app, signedBy(made, path)), await statusOf(app, hidden.url)], [200, 200])
    // A rotation goes on from the key that is not published yet.
    const lost = await rotateUnpublished(app, cats)
    const next = await rotateKey(app, cats, key, { overlap: 60 })
    assert.equal(next.previous.key, lost)
    assert.equal(await statusOf(app, signedBy(lost, path)), 200)
    const left = await rotateUnpublished(app, cats)
    app.wait(86_400 * 2)
    await doDueJobs(app, cats)
    assert.equal((await showKey(app, cats, key)).key, left)
    await assertHealthy(app.app)
  })

  test('a move to another storage keeps both keys', async () => {
    await using bucket = await startS3Stub()
    await using app = await startTestApp({ store })
    const { cats, key, hidden } = await siteWithPictures(app)
    const path = bare(hidden.url)
    const first = await showKey(app, cats, key)
    const { isReplayed: _, ...keys } = await rotateKey(app, cats, key, { overlap: 3_600 })
    const moved = await runHere(['tenants', 'move', '--id', 'cats', '--storage', bucket.url], app.environment)
    assert.equal(moved.code, 0, moved.err)
    await until(async () => (await statusOf(app, hidden.url)) === 200, 'the server knows the location')
    assert.deepEqual(await showKey(app, cats, key), keys)
    for (const each of [first.key, keys.key]) assert.equal(await statusOf(app, signedBy(each, path)), 200)
    assert.equal((await rotateKey(app, cats, key, { overlap: 60 })).previous.key, keys.key)
  })

  test('the tool shows and rotates the key that the server has, and a rotation of the encryption key keeps both', async () => {
    await using app = await startTestApp({ store })
    const { cats, key, hidden } = await siteWithPictures(app)
    const path = bare(hidden.url)
    const first = await showKey(app, cats, key)
    const site = ['site', '--tenant', 'cats']
    const shown = await runHere([...site, 'signing-key:show', '--json'], app.environment)
    assert.deepEqual(JSON.parse(shown.out), first)
    const rotated = await runHere(
      [...site, 'signing-key:rotate', '--overlap_seconds', '60', '--json'],
      app.environment,
    )
    const keys = JSON.parse(rotated.out)
    assert.equal(keys.previous.key, first.key)
    await until(async () => (await showKey(app, cats, key)).key === keys.key, 'the server has the key')
    assert.deepEqual(await showKey(app, cats, key), keys)
    const text = await runHere([...site, 'signing-key:show'], app.environment)
    assert.deepEqual(text.out.split('\n').slice(0, 2), [
      keys.key,
      `It signs addresses since ${keys.created_at}.`,
    ])
    for (const overlap of ['-1', '604801', 'x'])
      assert.equal(
        (await runHere([...site, 'signing-key:rotate', '--overlap_seconds', overlap], app.environment)).code,
        2,
      )
    assert.equal((await runHere([...site, 'signing-key:rotate'], app.environment)).code, 2)
    const { control, keyFile } = app.app
    assert.ok(keyFile)
    await rotateKeys(control, keyFile)
    assert.deepEqual(await showKey(app, cats, key), keys)
    for (const each of [first.key, keys.key]) assert.equal(await statusOf(app, signedBy(each, path)), 200)
    await assertHealthy(app.app)
  })
})
