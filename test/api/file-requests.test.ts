import assert from 'node:assert/strict'
import { test } from 'vitest'
import { create, created, patch } from '../support/clients/resumable.ts'
import { browserHeaders } from '../support/delivered.ts'
import { onEachStore, type StoreKind, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { startMailServer } from '../support/servers/mail-server.ts'
import { until } from '../support/until.ts'
import { picture } from '../support/uploads.ts'

async function startRequest(store: StoreKind, body: object = {}) {
  const mail = await startMailServer()
  const app = await startTestApp({ store, environment: { SERVICE_SMTP_URL: mail.url } })
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'write')
  const made = { title: 'Wedding', privacy: 'private' }
  const album = (await ask5(app, cats, 'POST albums', { key, body: made })).json
  const given = { allow_upload: true, allow_download: false, ...body }
  const answer = await ask5(app, cats, `POST albums/${album.id}/shares`, { key, body: given })
  assert.equal(answer.status, 201, answer.text)
  const path = new URL(answer.json.url).pathname
  let seed = 0
  return {
    app,
    cats,
    key,
    mail,
    album,
    share: answer.json,
    path,
    see: (headers: Record<string, string> = {}) =>
      app.send('GET', path, { headers: { host: cats.hostname, ...browserHeaders, ...headers } }),
    /** As the queue of the page sends it. */
    async send(query = '') {
      seed += 1
      return app.send('POST', `${path}/files?filename=${seed}.png${query}`, {
        bytes: await picture({ seed }),
        headers: {
          host: cats.hostname,
          accept: 'application/json',
          'content-type': 'application/octet-stream',
          'x-terrace-page': '1',
        },
      })
    },
    takeBack: (id: string, proof: string, of = path) =>
      app.send('POST', `${of}/files/${id}/remove`, {
        bytes: String(new URLSearchParams({ proof })),
        headers: { host: cats.hostname, 'content-type': 'application/x-www-form-urlencoded' },
      }),
    uploadsOf: async () => (await ask5(app, cats, `GET shares/${answer.json.id}`, { key })).json.uploads,
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await mail[Symbol.asyncDispose]()
    },
  }
}

onEachStore('a request for files', (store) => {
  test('has a message and asks for a name, which only the owner sees', async () => {
    await using request = await startRequest(store, {
      message: 'Your <best> shots',
      asks_name: true,
      max_uploads: 5,
    })
    const { app, cats, key, share, see, send } = request
    assert.deepEqual([share.message, share.asks_name], ['Your <best> shots', true])
    const page = await see()
    assert.match(page.text, /<h1[^>]*>ada is asking for photos<\/h1>/)
    assert.match(page.text, /Your &lt;best&gt; shots/)
    assert.match(page.text, /5 of 5 files left · until <time/)
    assert.match(page.text, /name="contributor"/)
    const sent = await send('&contributor=Zo%C3%AB+%3Cb%3E')
    assert.equal(sent.status, 201, sent.text)
    assert.deepEqual(Object.keys(sent.json), ['id', 'filename', 'size', 'removal'])
    assert.equal((await ask5(app, cats, `GET files/${sent.json.id}`, { key })).json.contributor, 'Zoë <b>')
    assert.match((await see()).text, /4 of 5 files left/)
    const program = await app.send(
      'POST',
      `/api/5/shares/${share.url.split('/').at(-1)}/files?contributor=Bob`,
      {
        bytes: await picture({ seed: 90 }),
        headers: { host: cats.hostname, 'content-type': 'application/octet-stream' },
      },
    )
    assert.deepEqual(Object.keys(program.json), ['id', 'filename', 'size'])
    // A share that shows the files does not show who sent them.
    const shown = (await ask5(app, cats, `POST albums/${request.album.id}/shares`, { key, body: {} })).json
    const { pass } = (
      await ask5(app, cats, 'POST shares/open', { body: { token: shown.url.split('/').at(-1) } })
    ).json
    const seen = await ask5(app, cats, `GET files/${sent.json.id}`, { headers: { 'x-share': pass } })
    assert.deepEqual([seen.status, seen.json.contributor], [200, null])
    const long = await send(`&contributor=${'n'.repeat(101)}`)
    assert.equal(long.status, 400)
  })

  test('refuses a long message, and a message without uploads', async () => {
    await using request = await startRequest(store)
    const { app, cats, key, album, share } = request
    const make = (body: object) => ask5(app, cats, `POST albums/${album.id}/shares`, { key, body })
    for (const body of [
      { allow_upload: true, message: 'x'.repeat(501) },
      { message: 'hello' },
      { asks_name: true },
      { allow_upload: true, asks_name: 'yes' },
    ])
      assert.deepEqual(problem(await make(body)), [400, 'invalid'])
    const edited = await ask5(app, cats, `PATCH shares/${share.id}`, {
      key,
      body: { message: 'x'.repeat(500) },
    })
    assert.deepEqual([edited.status, edited.json.message.length], [200, 500])
  })

  test('gives back what the page that sent it takes back, and takes another file in its place', async () => {
    await using request = await startRequest(store, { max_uploads: 1 })
    const { app, cats, key, album, path, see, send, takeBack, uploadsOf } = request
    const { json } = await send()
    assert.match((await see()).text, /This collection is full/)
    assert.equal((await send()).status, 403)
    const other = (
      await ask5(app, cats, `POST albums/${album.id}/shares`, { key, body: { allow_upload: true } })
    ).json
    for (const [id, proof, of] of [
      [json.id, '', path],
      [json.id, `${json.removal}x`, path],
      [json.id, json.removal, new URL(other.url).pathname],
      ['none', json.removal, path],
      ['%00', json.removal, path],
    ])
      assert.equal((await takeBack(id, proof, of)).status, 404)
    assert.equal((await takeBack(json.id, json.removal)).status, 204)
    assert.equal((await takeBack(json.id, json.removal)).status, 404)
    assert.deepEqual(
      [await uploadsOf(), (await ask5(app, cats, `GET files/${json.id}`, { key })).status],
      [0, 404],
    )
    const again = await send()
    assert.equal(again.status, 201)
    app.wait(24 * 3_600)
    assert.equal((await takeBack(again.json.id, again.json.removal)).status, 404)
    assert.equal(await uploadsOf(), 1)
  })

  test('has the name of the sender of a resumable upload, and mails the owner', async () => {
    await using request = await startRequest(store, { asks_name: true })
    const { app, cats, key, share, mail } = request
    const token = share.url.split('/').at(-1)
    const { pass } = (await ask5(app, cats, 'POST shares/open', { body: { token } })).json
    const bytes = await picture({ seed: 91 })
    const upload = (contributor: string, headers: Record<string, string> = { 'x-share': pass }) => ({
      headers,
      length: bytes.length,
      metadata: { filename: 'a.png', contributor },
    })
    assert.equal((await create([app, cats], upload('n'.repeat(101)))).status, 400)
    // A member's own upload has no other sender.
    assert.equal((await create([app, cats], upload('Bob', { 'x-api-key': key }))).status, 400)
    const id = await created([app, cats], upload(' Zoë '))
    assert.equal(mail.mails.length, 0)
    const { status, headers } = await patch([app, cats], id, {
      headers: { 'x-share': pass },
      offset: 0,
      bytes,
    })
    assert.equal(status, 204)
    const path = String(headers['content-location']).replace('/api/5/', '')
    assert.equal((await ask5(app, cats, `GET ${path}`, { key })).json.contributor, 'Zoë')
    await until(() => mail.mails.length > 0, 'the mail')
    assert.match(String(mail.mails[0]?.text), /Someone has added files/)
    // The hour counts for both ways.
    assert.equal((await request.send()).status, 201)
    app.wait(3_601)
    await request.send()
    await until(() => mail.mails.length > 1, 'the second mail')
    assert.equal(mail.mails.length, 2)
  })

  test('mails the owner once an hour', async () => {
    await using request = await startRequest(store)
    const { app, mail, album, send } = request
    for (const _ of [1, 2, 3]) assert.equal((await send()).status, 201)
    await until(() => mail.mails.length > 0, 'the first mail')
    app.wait(3_601)
    await send()
    await until(() => mail.mails.length > 1, 'the second mail')
    assert.equal(mail.mails.length, 2)
    const [{ to, text } = { to: '', text: '' }] = mail.mails
    assert.match(String(to), /ada/)
    assert.match(text, new RegExp(`/album/${album.id}`))
    assert.match(text, /Someone has added files/)
  })
})
