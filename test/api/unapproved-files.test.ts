import assert from 'node:assert/strict'
import { test } from 'vitest'
import { changeSetting } from '../../src/site/index.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { onSiteOf, picture, uploaded, userWithKey } from '../support/uploads.ts'

onEachStore('a file that waits for approval', (store) => {
  test('is shown on its page to its owner and to the staff, and to no others', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await onSiteOf(app, cats, (site) => changeSetting(site, 'moderation', 'all'))
    const { key } = await userWithKey(app, cats, 'bob')
    await userWithKey(app, cats, 'eve')
    const file = await picture({ width: 800, height: 600 })
    const { id_encoded: id, url_viewer: viewer } = await uploaded(app, cats, { key, file })
    const path = `/mine/files/${id}/picture`
    for (const login of ['bob', 'ada']) {
      const { cookie, show } = await visitAs(app, cats, { login, password: 'a long password' })
      const page = await show(new URL(viewer).pathname)
      assert.match(page.text, new RegExp(`<img src="${path}" width="500" height="375"`), login)
      assert.doesNotMatch(page.text, /data-zoom/)
      const sent = await askPage(app, cats, `GET ${path}`, { cookie })
      assert.deepEqual([sent.status, sent.headers['cache-control']], [200, 'private, no-store'])
      assert.equal(sent.headers['content-type'], 'image/png')
    }
    const eve = await visitAs(app, cats, { login: 'eve', password: 'a long password' })
    assert.equal((await eve.show(path)).status, 404)
    assert.equal((await eve.show(new URL(viewer).pathname)).status, 404)
    assert.equal((await askPage(app, cats, `GET ${path}`)).status, 302)
  })
})
