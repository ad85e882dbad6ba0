import assert from 'node:assert/strict'
import { test } from 'vitest'
import { switchOn } from '../support/clients/second-step.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn } from '../support/media.ts'
import { askPage, stepCookieIn, visitAs } from '../support/pages.ts'

const ada = { login: 'ada', password: 'a long password' }

/** The cookie behind forty others of its name, as a browser sends those that a sibling site on plain http has planted. */
function behindPlanted(cookie: string): string {
  const [name = ''] = cookie.split('=')
  const planted = Array.from({ length: 40 }, (_, index) => `${name}=${`${index}`.padStart(43, 'planted')}`)
  return [...planted, cookie].join('; ')
}

onEachStore('cookies that a sibling site has planted', (store) => {
  test('do not hide the session', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { headers } = await logIn(app, cats)
    const cookie = behindPlanted(headers.cookie ?? '')
    assert.equal((await askPage(app, cats, 'GET /settings', { cookie })).status, 200)
    const me = await ask5(app, cats, 'GET me', { headers: { ...headers, cookie } })
    assert.equal(me.json.user.username, 'ada')
    // Nor do those of sessions that have ended.
    const ended = await logIn(app, cats)
    await ask5(app, cats, `DELETE sessions/${ended.id}`, { headers })
    const both = `${ended.headers.cookie}; ${headers.cookie}`
    assert.equal((await askPage(app, cats, 'GET /settings', { cookie: both })).status, 200)
  })

  test('do not hide a half-done log-in', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { codeIn } = await switchOn(app, await visitAs(app, cats, ada))
    app.wait(30)
    const first = await askPage(app, cats, 'POST /login', { form: ada })
    const cookie = behindPlanted(stepCookieIn(first, 'terrace-login'))
    assert.equal((await askPage(app, cats, 'GET /login/code', { cookie })).status, 200)
    const done = await askPage(app, cats, 'POST /login/code', { cookie, form: { code: codeIn() } })
    assert.deepEqual([done.status, done.headers.location], [303, '/'])
  })

  test('do not hide the pass of a share, nor the password of an album', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const given = { title: 'Kittens', privacy: 'password', password: 'purr' }
    const album = (await ask5(app, cats, 'POST albums', { key, body: given })).json
    const made = await ask5(app, cats, `POST albums/${album.id}/shares`, { key, body: { max_views: 1 } })
    const { pathname } = new URL(made.json.url)
    const opened = await askPage(app, cats, `GET ${pathname}`)
    const [pass = ''] = (opened.headers['set-cookie'] ?? []).flatMap((cookie) => cookie.split(';', 1))
    assert.match(pass, /^terrace-share-/)
    assert.equal((await askPage(app, cats, `GET ${pathname}`)).status, 410, 'its view is used')
    const again = await askPage(app, cats, `GET ${pathname}`, { cookie: behindPlanted(pass) })
    assert.equal(again.status, 200)

    const { pathname: page } = new URL(album.url)
    const unlocked = await askPage(app, cats, `POST ${page}`, { form: { password: 'purr' } })
    const [token = ''] = (unlocked.headers['set-cookie'] ?? []).flatMap((cookie) => cookie.split(';', 1))
    assert.match(token, /^terrace-album-/)
    const shown = await askPage(app, cats, `GET ${page}`, { cookie: behindPlanted(token) })
    assert.doesNotMatch(shown.text, /name="password"/)
  })
})
