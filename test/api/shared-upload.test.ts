import assert from 'node:assert/strict'
import { test } from 'vitest'
import { changeSetting } from '../../src/site/index.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { multipartOf, onSiteOf, picture } from '../support/uploads.ts'

onEachStore('the share sheet of a phone', (store) => {
  test('uploads what it sends, and takes nothing that a page sends', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { cookie } = await visitAs(app, cats)
    const { share_target: target } = (await askPage(app, cats, 'GET /manifest.webmanifest')).json
    const [files] = target.params.files
    const share = async (headers: Record<string, string>, seed = 1) => {
      const { type, bytes } = multipartOf([
        { name: target.params.url, value: 'https://example.org/page' },
        { name: files.name, value: await picture({ seed }), fileName: 'a.png', type: 'image/png' },
        { name: files.name, value: await picture({ seed: seed + 1 }), fileName: 'b.png', type: 'image/png' },
      ])
      return app.send(target.method, target.action, {
        bytes,
        headers: { host: cats.hostname, accept: 'text/html', 'content-type': type, ...headers },
      })
    }
    const countFiles = () =>
      onSiteOf(app, cats, async ({ db }) => (await db.selectFrom('file').select('userId').execute()).length)
    for (const from of ['same-origin', 'same-site', 'cross-site', ''])
      assert.equal((await share({ cookie, 'sec-fetch-site': from })).status, 403, from)
    assert.equal((await share({ cookie, origin: `http://${cats.hostname}` })).status, 403)
    assert.equal((await share({ cookie })).status, 403)
    await onSiteOf(app, cats, (site) => changeSetting(site, 'enable_guest_page_uploads', '0'))
    const guest = await share({ 'sec-fetch-site': 'none' })
    assert.deepEqual([guest.status, guest.headers.location], [303, '/login?to=%2Fupload'])
    assert.equal(await countFiles(), 0)

    const shared = await share({ cookie, 'sec-fetch-site': 'none' })
    assert.equal(shared.status, 200, shared.text)
    assert.match(shared.text, /<h1>2 files/)
    assert.equal(await countFiles(), 2)
    const { status, headers } = await askPage(app, cats, `GET ${target.action}`, { cookie })
    assert.deepEqual([status, headers.location], [302, '/upload'])
  })
})
