import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { createUser, mayDo } from '../../src/accounts/index.ts'
import { renderMarkdown } from '../../src/media/pages/markdown.ts'
import { pageRoutes } from '../../src/pages/page-list.ts'
import { changeSetting } from '../../src/site/index.ts'
import { markupStrings } from '../support/fixtures/markup-strings.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { onSiteOf } from '../support/uploads.ts'

const imprint = { title: 'Imprint', url_key: 'imprint', body: '# Who\n\nAda, **Street 1**', is_visible: '1' }

const idsIn = (text: string) =>
  [...text.matchAll(/href="\/dashboard\/pages\/(\w+)" dir/g)].map(([, id]) => id ?? '')
const versionIn = (text: string) => /name="version" value="(\d+)"/.exec(text)?.[1] ?? ''

onEachStore('pages that administrators write', (store) => {
  test('a page is written, shown, linked at the foot, moved, changed and deleted', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ada = await visitAs(app, cats)
    assert.match((await ada.show('/dashboard/pages')).text, /No pages yet/)
    const made = await ada.send('/dashboard/pages/new', imprint)
    assert.deepEqual([made.status, made.headers.location], [303, '/dashboard/pages?saved=1'])
    await ada.send('/dashboard/pages/new', { ...imprint, url_key: 'terms', title: 'Terms' })

    const read = await askPage(app, cats, 'GET /page/imprint')
    assert.equal(read.status, 200)
    assert.match(read.text, /<h1 dir="auto">Imprint<\/h1>/)
    assert.match(read.text, /<h2 dir="auto">Who<\/h2>\s*<p dir="auto">Ada, <strong>Street 1<\/strong>/)
    assert.doesNotMatch(read.text, /noindex/)
    const links = async () =>
      [...(await askPage(app, cats, 'GET /login')).text.matchAll(/href="\/page\/([\w-]+)"/g)].map(
        ([, key]) => key,
      )
    assert.deepEqual(await links(), ['imprint', 'terms'])

    const [first = ''] = idsIn((await ada.show('/dashboard/pages')).text)
    await ada.send(`/dashboard/pages/${first}/move`, { to: 'down' })
    assert.deepEqual(await links(), ['terms', 'imprint'])
    await ada.send(`/dashboard/pages/${first}/move`, { to: 'down' })
    assert.deepEqual(await links(), ['terms', 'imprint'])
    await ada.send(`/dashboard/pages/${first}/move`, { to: 'up' })
    assert.deepEqual(await links(), ['imprint', 'terms'])

    const version = versionIn((await ada.show(`/dashboard/pages/${first}`)).text)
    const { is_visible: _, ...hidden } = imprint
    await ada.send(`/dashboard/pages/${first}`, { ...hidden, version })
    assert.equal((await askPage(app, cats, 'GET /page/imprint')).status, 404)
    assert.match((await ada.show('/page/imprint')).text, /This page is hidden/)
    assert.deepEqual(await links(), ['terms'])

    const late = await ada.send(`/dashboard/pages/${first}`, { ...imprint, title: 'Mine', version })
    assert.equal(late.status, 412)
    assert.match(late.text, /changed while you were editing it/)
    assert.match(late.text, /value="Mine"/)
    const now = versionIn(late.text)
    const again = await ada.send(`/dashboard/pages/${first}`, { ...imprint, title: 'Mine', version: now })
    assert.equal(again.status, 303)

    const asked = await ada.show(`/dashboard/pages/${first}/delete`)
    await ada.send(`/dashboard/pages/${first}/delete`, { version: versionIn(asked.text) })
    assert.equal((await ada.show('/page/imprint')).status, 404)
    assert.equal((await ada.show(`/dashboard/pages/${first}`)).status, 404)
  })

  test('a refused page keeps every text, and a preview stores nothing', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ada = await visitAs(app, cats)
    await ada.send('/dashboard/pages/new', imprint)
    const taken = await ada.send('/dashboard/pages/new', { ...imprint, body: '\n two lines' })
    assert.equal(taken.status, 409)
    assert.match(taken.text, /Another page has this name/)
    assert.match(taken.text, /<textarea[^>]*>\n\n two lines<\/textarea>/)
    for (const [field, value] of [
      ['url_key', 'No Spaces'],
      ['title', ' '],
      ['title', 'x'.repeat(101)],
      ['body', 'x'.repeat(65_537)],
    ] as const) {
      const refused = await ada.send('/dashboard/pages/new', { ...imprint, url_key: 'other', [field]: value })
      assert.equal(refused.status, 400, field)
      assert.match(refused.text, /role="alert"/)
    }
    const longest = { ...imprint, url_key: 'long', body: '\n'.repeat(65_536) }
    assert.equal((await ada.send('/dashboard/pages/new', longest)).status, 303)
    const preview = await ada.send('/dashboard/pages/new', {
      ...imprint,
      url_key: 'seen',
      body: '*soft*',
      action: 'preview',
    })
    assert.match(preview.text, /<em>soft<\/em>/)
    assert.equal((await ada.show('/page/seen')).status, 404)
    const begun = await ada.show('/dashboard/pages/new?from=terms')
    assert.match(begun.text, /## What you can’t upload/)
  })

  test('a visible page can be the front page; a hidden one gives way', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ada = await visitAs(app, cats)
    await ada.send('/dashboard/pages/new', imprint)
    await onSiteOf(app, cats, (site) => changeSetting(site, 'home', 'page:imprint'))
    assert.match((await askPage(app, cats, 'GET /')).text, /Street 1/)
    await onSiteOf(app, cats, (site) => changeSetting(site, 'home', 'page:none'))
    assert.equal((await askPage(app, cats, 'GET /')).status, 200)
  })

  test('only administrators open the dashboard, and only with the token of their session', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const password = 'a long password'
    for (const role of ['manager', 'user'] as const)
      await onSiteOf(app, cats, (site) =>
        createUser(site, { username: role, email: `${role}@example.com`, password, role }),
      )
    const paths = pageRoutes.filter(({ path }) => path.startsWith('/dashboard/'))
    const own = paths.filter(
      ({ access }) => access !== 'anyone' && access !== 'member' && !mayDo('manager', access),
    )
    for (const login of ['manager', 'user']) {
      const visit = await visitAs(app, cats, { login, password })
      for (const { method, path } of own) {
        const at = path.replace('{id}', 'x').replace('{part}', 'general')
        const answer = method === 'GET' ? await visit.show(at) : await visit.send(at, {})
        assert.equal(answer.status, 403, `${login} ${method} ${path}`)
      }
    }
    const ada = await visitAs(app, cats)
    for (const { method, path } of own) {
      const at = path.replace('{id}', 'x').replace('{part}', 'general')
      const guest = await askPage(app, cats, `${method} ${at}`, method === 'POST' ? { form: {} } : {})
      assert.equal(guest.status, 302, `${method} ${path}`)
      if (method === 'GET') continue
      const forged = await askPage(app, cats, `POST ${at}`, { cookie: ada.cookie, form: { csrf: 'x' } })
      assert.equal(forged.status, 403, path)
    }
    assert.equal((await ada.show('/dashboard/pages/x')).status, 404)
  })
})

describe('Markdown', () => {
  test('runs nothing: raw HTML and addresses that run stay text', () => {
    for (const text of markupStrings) {
      const { markup } = renderMarkdown(`${text}\n\n[a](${text})\n\n![${text}](${text})`, 'Table')
      const tags = markup.match(/<[a-z][^>]*>/g) ?? []
      for (const tag of tags) {
        assert.match(tag, /^<(?:p|a|img|em|strong|code|pre|h[2-6]|ul|ol|li|blockquote|hr)[ >]/, tag)
        assert.doesNotMatch(tag, /\son[a-z]+=|style=|(?:href|src)="(?!https?:|mailto:|\/(?!\/)|[#?])/i, tag)
      }
    }
    for (const address of [
      'javascript:alert(1)',
      'JaVaScRiPt:x',
      'data:text/html,x',
      'vbscript:x',
      '//evil.test',
    ])
      assert.doesNotMatch(renderMarkdown(`[a](${address}) <${address}>`, '').markup, /href/, address)
  })

  test('marks links to other sites, shows own pictures alone and aligns without styles', () => {
    const { markup } = renderMarkdown(
      '[a](https://a.test) [b](/page/b) ![c](https://a.test/c.png) ![d](/images/d.png)\n\n|a|\n|-:|\n|1|',
      'Numbers',
    )
    assert.match(markup, /<a href="https:\/\/a.test" rel="nofollow noopener">a<\/a>/)
    assert.match(markup, /<a href="\/page\/b">b<\/a>/)
    assert.match(markup, /<a href="https:\/\/a.test\/c.png" rel="nofollow noopener">c<\/a>/)
    assert.match(markup, /<img src="\/images\/d.png" alt="d" loading="lazy">/)
    assert.match(markup, /aria-label="Numbers"/)
    assert.match(markup, /<td dir="auto" class="to-right">1<\/td>/)
    assert.doesNotMatch(markup, /style=/)
  })
})
