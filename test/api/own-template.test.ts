import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { uploaded } from '../support/uploads.ts'

onEachStore('a template of one’s own', (store) => {
  test('is saved with the account, fills the codes of the viewer, and is shown to its owner alone', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { url, url_viewer: viewer } = await uploaded(app, cats, { fields: { title: 'A "quoted" <b>' } })
    const ada = await visitAs(app, cats)
    const template = '=> {title:html} <{url}> {width}'
    const sent = { album: '', expiration: '', format: 'own', size: 'full', template }
    const empty = await ada.send('/settings/uploads', { ...sent, template: ' ' })
    assert.equal(empty.status, 400)
    assert.match(empty.text, /Enter a template: one line of up to 500 characters/)
    const long = await ada.send('/settings/uploads', { ...sent, template: 'x'.repeat(501) })
    assert.equal(long.status, 400)
    assert.match(long.text, /one line of up to 500 characters/)
    assert.equal((await ada.send('/settings/uploads', { ...sent, template: 'a\nb' })).status, 400)

    assert.equal((await ada.send('/settings/uploads', sent)).status, 303)
    assert.match(
      (await ada.show('/settings/uploads')).text,
      /value="=&gt; \{title:html\} &lt;\{url\}&gt; \{width\}"/,
    )
    const page = await ada.show(new URL(viewer).pathname)
    const filled = `=> A &quot;quoted&quot; &lt;b&gt; <${url}> 40`
    const escaped = filled.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
    assert.ok(page.text.includes(`value="${escaped}"`), escaped)
    assert.match(page.text, /<body[^>]* data-format="own" data-size="full" data-template="=&gt;/)
    const other = await askPage(app, cats, `GET ${new URL(viewer).pathname}`)
    assert.doesNotMatch(other.text, /data-format="own"|data-template=/)
  })
})
