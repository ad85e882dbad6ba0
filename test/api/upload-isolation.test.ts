import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { refusalOf, upload, uploaded } from '../support/uploads.ts'

onEachStore('two tenants', (store) => {
  test('never see the bytes, pages or links of each other, whatever the host, the path or the key', async () => {
    await using app = await startTestApp({ store })
    const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
    const mine = await uploaded(app, cats, { fileName: 'same.png' })
    const theirs = await uploaded(app, dogs, { fileName: 'same.png' })
    await uploaded(app, cats, { fileName: 'only-cats.png' })
    const own = await uploaded(app, cats, { fileName: 'secret.png' })

    const at = (host: string, url: string, method = 'GET', headers: Record<string, string> = {}) =>
      app.send(method, new URL(url).pathname, { headers: { host, ...headers } })
    for (const url of [own.url, own.thumb.url, own.url_viewer, own.url_short]) {
      assert.equal((await at('cats.test', url)).status, 200, url)
      assert.equal((await at('dogs.test', url)).status, 404, url)
      const forwarded = {
        'x-forwarded-host': 'cats.test',
        forwarded: 'host=cats.test',
        'x-original-url': '/',
      }
      assert.equal((await at('dogs.test', url, 'GET', forwarded)).status, 404, url)
      assert.equal((await at('dogs.test', url, 'GET', { 'x-api-key': cats.apiKey })).status, 404, url)
    }
    for (const method of ['GET', 'POST', 'DELETE']) {
      assert.equal((await at('dogs.test', own.delete_url, method)).status, 404)
    }
    assert.equal((await at('cats.test', own.url)).status, 200)

    // Files of one name on two sites are two files.
    assert.notEqual(mine.id_encoded, theirs.id_encoded)
    assert.equal((await at('dogs.test', theirs.delete_url, 'DELETE')).status, 200)
    assert.equal((await at('dogs.test', theirs.url)).status, 404)
    assert.equal((await at('cats.test', mine.url)).status, 200)
  })

  test('take no key, album or category of each other', async () => {
    await using app = await startTestApp({ store })
    const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
    const foreignKey = await upload(app, dogs, { key: cats.apiKey })
    assert.deepEqual(refusalOf(foreignKey), [400, 100, 'Invalid API key.'])
    const managementKey = await upload(app, dogs, { key: app.key })
    assert.deepEqual(refusalOf(managementKey), [400, 100, 'Invalid API key.'])
    assert.equal((await app.call('GET', 'tenants/dogs')).json.stats.files, 0)
  })

  test('cannot be distinguished by climbing out of a folder', async () => {
    await using app = await startTestApp({ store })
    const [cats] = [await app.tenant('cats'), await app.tenant('dogs')]
    const { url, id_encoded: id } = await uploaded(app, cats)
    const folder = new URL(url).pathname.replace(/[^/]*$/, '')
    const climbs = ['..', '%2e%2e', '..%2f..', '..%5c..', '.%00', '%2e%2e%2f%2e%2e%2f1%2ffiles']
    for (const climb of climbs) {
      for (const path of [
        `/images/${climb}/${id}.png`,
        `${folder}${climb}/${id}.png`,
        `/images/${climb}/1/site.db`,
      ]) {
        const { status } = await app.send('GET', path, { headers: { host: 'dogs.test' } })
        assert.ok(status === 404 || status === 400, `${path}: ${status}`)
      }
    }
  })
})
