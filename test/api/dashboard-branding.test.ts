import assert from 'node:assert/strict'
import { test } from 'vitest'
import { changeSetting, readSettings } from '../../src/site/index.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { onSiteOf, uploaded } from '../support/uploads.ts'

const seen = { seen_site_name: '', seen_accent: '' }

onEachStore('the brand of a site', (store) => {
  test('name and accent are on every page; a preview stores nothing; the standard colour comes back', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ada = await visitAs(app, cats)
    const name = '<b>Cats & Co</b>'
    const preview = await ada.send('/dashboard/branding', {
      ...seen,
      site_name: name,
      accent: '#ffcc00',
      action: 'preview',
    })
    assert.match(preview.text, /\/-\/brand-ffcc00-\w+\.css/)
    assert.doesNotMatch((await askPage(app, cats, 'GET /login')).text, /brand-ffcc00/)

    const form = { ...seen, site_name: name, accent: '#ffcc00', action: 'save' }
    assert.equal((await ada.send('/dashboard/branding', form)).status, 303)
    const { text } = await askPage(app, cats, 'GET /login')
    assert.match(text, /<span dir="auto">&lt;b&gt;Cats &amp; Co&lt;\/b&gt;<\/span>/)
    assert.match(text, /<title>[^<]* - &lt;b&gt;Cats &amp; Co&lt;\/b&gt;<\/title>/)
    const [path = ''] = /\/-\/brand-[\w-]+\.css/.exec(text) ?? []
    const sheet = await askPage(app, cats, `GET ${path}`)
    assert.equal(sheet.headers['content-type'], 'text/css; charset=utf-8')
    assert.equal(sheet.headers['cache-control'], 'public, max-age=31536000, immutable')
    assert.match(sheet.text, /--accent: light-dark\(#\w{6}, #\w{6}\);/)
    for (const other of ['/-/brand-ffcc00-0.css', '/-/brand-zzzzzz-000000000000.css', '/-/brand-'])
      assert.equal((await askPage(app, cats, `GET ${other}`)).status, 404, other)

    const late = await ada.send('/dashboard/branding', { ...form, accent: '#00ff00' })
    assert.equal(late.status, 409)
    const now = { seen_site_name: name, seen_accent: '#ffcc00' }
    await ada.send('/dashboard/branding', { ...now, site_name: '', accent: '#ffcc00', action: 'standard' })
    const settings = await onSiteOf(app, cats, readSettings)
    assert.deepEqual([settings.site_name, settings.accent], ['', ''])
    await ada.send('/dashboard/branding', { ...seen, site_name: 'Cats', accent: '#1d6652', action: 'save' })
    assert.equal((await onSiteOf(app, cats, readSettings)).accent, '')
  })

  test('a refused name or accent keeps its text', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ada = await visitAs(app, cats)
    const wrong = { ...seen, site_name: 'x'.repeat(61), accent: 'red; } body', action: 'save' }
    const refused = await ada.send('/dashboard/branding', wrong)
    assert.equal(refused.status, 400)
    assert.match(refused.text, /Use at most 60 characters/)
    assert.match(refused.text, /value="red; \} body"/)
  })
})

onEachStore('what programs ask a site for', (store) => {
  test('robots.txt names the sitemap, which lists what guests may list and nothing else', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ada = await visitAs(app, cats)
    await ada.send('/dashboard/pages/new', { title: 'Terms', url_key: 'terms', body: 'x', is_visible: '1' })
    await ada.send('/dashboard/pages/new', { title: 'Draft', url_key: 'draft', body: 'x' })
    const { url_viewer: viewer } = await uploaded(app, cats)
    const robots = await askPage(app, cats, 'GET /robots.txt')
    assert.match(String(robots.headers['content-type']), /^text\/plain/)
    assert.match(
      robots.text,
      /^User-agent: \*\nDisallow: \/-\/\n[\s\S]*Sitemap: http:\/\/\S+\/sitemap\.xml\n$/,
    )
    const closed = await askPage(app, cats, 'GET /sitemap.xml', { cookie: ada.cookie })
    assert.doesNotMatch(closed.text, /<loc>/)
    await onSiteOf(app, cats, (site) => changeSetting(site, 'listing', 'public'))
    const { text } = await askPage(app, cats, 'GET /sitemap.xml')
    assert.match(text, /<loc>http:[^<]+\/page\/terms<\/loc>/)
    assert.doesNotMatch(text, /draft/)
    assert.ok(text.includes(new URL(viewer).pathname), text)
    assert.equal((await askPage(app, cats, 'GET /favicon.ico')).status, 302)
    const guide = await askPage(app, cats, 'GET /api-v1')
    assert.ok(guide.text.includes(`http://${cats.hostname}`) && guide.text.includes('/api/1/upload'))
  })
})
