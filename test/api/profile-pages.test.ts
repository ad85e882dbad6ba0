import assert from 'node:assert/strict'
import sharp from 'sharp'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { askPage, visitAs } from '../support/pages.ts'
import {
  multipartOf,
  onSiteOf,
  type Part,
  picture,
  set,
  type TestTenant,
  uploaded,
} from '../support/uploads.ts'

const pathIn = (text: string) => /(?<=<img src=")\/-\/people\/[^"]+/.exec(text)?.[0]

async function openProfile(store: 'sqlite' | 'postgres') {
  const app = await startTestApp({ store })
  const cats = await app.tenant('cats')
  await set(app, cats, { listing: 'public' })
  const ada = await visitAs(app, cats)
  const sendPicture = (parts: Part[], csrf = ada.csrf) => {
    const { type, bytes } = multipartOf([{ name: 'csrf', value: csrf }, ...parts])
    const from = { 'sec-fetch-site': 'same-origin', accept: 'text/html' }
    const headers = { host: cats.hostname, cookie: ada.cookie, 'content-type': type, ...from }
    return app.send('POST', '/settings/picture', { bytes, headers })
  }
  const saveAbout = (about: string, headers = {}) =>
    askPage(app, cats, 'POST /settings/about', {
      form: { about, csrf: ada.csrf },
      cookie: ada.cookie,
      headers,
    })
  return { app, cats, ada, sendPicture, saveAbout, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

const pageOfAda = async (app: TestApp, cats: TestTenant, cookie?: string) =>
  (await askPage(app, cats, 'GET /ada', cookie === undefined ? {} : { cookie })).text

onEachStore('a profile', (store) => {
  test('has a text, which visitors read as text', async () => {
    await using opened = await openProfile(store)
    const { app, cats, ada, saveAbout } = opened
    assert.equal((await saveAbout(' Cats & <b>dogs</b>\r\nSince 2019 ')).status, 303)
    assert.match(await pageOfAda(app, cats), /Cats &amp; &lt;b&gt;dogs&lt;\/b&gt;\nSince 2019/)
    assert.doesNotMatch(await pageOfAda(app, cats), /Edit profile/)
    assert.match(await pageOfAda(app, cats, ada.cookie), /Edit profile/)
    assert.equal((await saveAbout('')).status, 303)
    assert.doesNotMatch(await pageOfAda(app, cats), /Since 2019/)
  })

  test('with a text that is too long is refused in the language of the reader, and nothing typed is lost', async () => {
    await using opened = await openProfile(store)
    const about = 'ä'.repeat(501)
    const refused = await opened.saveAbout(about, { 'accept-language': 'de' })
    assert.equal(refused.status, 400)
    assert.ok(refused.text.includes(about))
    assert.match(refused.text, /höchstens 500 Zeichen/i)
    assert.equal((await opened.saveAbout('ä'.repeat(500))).status, 303)
  })

  test('has a picture, which is drawn anew and shown in the menu and on the page', async () => {
    await using opened = await openProfile(store)
    const { app, cats, ada, sendPicture } = opened
    const sent = await sharp(await picture({ width: 900, height: 300 }))
      .withExif({ IFD0: { Copyright: 'SECRET-MARK' } })
      .png()
      .toBuffer()
    assert.equal((await sendPicture([{ name: 'source', value: sent, fileName: 'me.png' }])).status, 303)
    const path = pathIn(await pageOfAda(app, cats)) ?? ''
    assert.equal(pathIn((await askPage(app, cats, 'GET /settings', { cookie: ada.cookie })).text), path)
    const { url_viewer: viewer } = await uploaded(app, cats)
    assert.equal(pathIn((await ask(app, viewer, { accept: 'text/html' })).text), path)
    const shown = await ask(app, `http://${cats.hostname}${path}`)
    assert.deepEqual(
      [shown.status, shown.headers['cache-control']],
      [200, 'public, max-age=31536000, immutable'],
    )
    const { width, height } = await sharp(shown.bytes).metadata()
    assert.deepEqual([width === height, shown.bytes.includes('SECRET-MARK')], [true, false])

    const another = await picture({ width: 40, height: 40, seed: 7 })
    await sendPicture([{ name: 'source', value: another, fileName: 'me.png' }])
    assert.notEqual(pathIn(await pageOfAda(app, cats)), path)
    assert.equal((await ask(app, `http://${cats.hostname}${path}`)).status, 404)

    assert.equal((await sendPicture([{ name: 'action', value: 'remove' }])).status, 303)
    assert.equal(pathIn(await pageOfAda(app, cats)), undefined)
  })

  test('keeps its picture when another file is refused', async () => {
    await using opened = await openProfile(store)
    const { app, cats, sendPicture } = opened
    await sendPicture([{ name: 'source', value: await picture(), fileName: 'me.png' }])
    const path = pathIn(await pageOfAda(app, cats))
    const text = Buffer.from('no picture')
    for (const parts of [[], [{ name: 'source', value: text, fileName: 'me.png' }]]) {
      const refused = await sendPicture(parts)
      assert.equal(refused.status, 400)
      assert.match(refused.text, /<p class="fault"/)
    }
    assert.equal((await sendPicture([{ name: 'action', value: 'remove' }], 'wrong')).status, 403)
    assert.equal(pathIn(await pageOfAda(app, cats)), path)
  })

  test('shows no picture of a banned user', async () => {
    await using opened = await openProfile(store)
    const { app, cats, sendPicture } = opened
    await sendPicture([{ name: 'source', value: await picture(), fileName: 'me.png' }])
    const path = pathIn(await pageOfAda(app, cats)) ?? ''
    await onSiteOf(app, cats, (site) => site.db.updateTable('user').set({ isBanned: 1 }).execute())
    assert.equal((await ask(app, `http://${cats.hostname}${path}`)).status, 404)
  })
})
