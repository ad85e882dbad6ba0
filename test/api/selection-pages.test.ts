import assert from 'node:assert/strict'
import { test } from 'vitest'
import { markupStrings } from '../support/fixtures/markup-strings.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn } from '../support/media.ts'
import { askPage, tokenIn } from '../support/pages.ts'
import { picture, uploaded, userWithKey } from '../support/uploads.ts'

/** Ada and bob with files of their own, and what each page answers them. */
async function startSelection(store: 'sqlite' | 'postgres') {
  const app = await startTestApp({ store })
  const cats = await app.tenant('cats')
  const key = await keyOf(app, cats, 'write')
  const bob = await userWithKey(app, cats, 'bob')
  const album = (await ask5(app, cats, 'POST albums', { key, body: { title: 'Sea', privacy: 'private' } }))
    .json
  const upload = async (seed: number, fields: Record<string, string>, by?: string) =>
    (await uploaded(app, cats, { file: await picture({ seed }), fields, ...(by && { key: by }) }))
      .id_encoded as string
  const files = {
    open: await upload(1, { title: 'Open' }),
    hidden: await upload(2, { title: 'Hidden', album_id: album.id }),
    bobs: await upload(3, { title: 'Bobs' }, bob.key),
  }
  const ada = (await logIn(app, cats)).headers.cookie ?? ''
  const bobs = (await logIn(app, cats, { login: 'bob', password: 'a long password' })).headers.cookie ?? ''
  const cookies = { ada, bob: bobs, guest: undefined }
  type Who = keyof typeof cookies
  const see = (who: Who, path: string) => {
    const cookie = cookies[who]
    return askPage(app, cats, `GET ${path}`, cookie === undefined ? {} : { cookie })
  }
  const send = async (who: Who, path: string, fields: readonly (readonly [string, string])[]) => {
    const cookie = cookies[who]
    const csrf = cookie === undefined ? '' : tokenIn(await see(who, '/settings'))
    const form = new URLSearchParams([['csrf', csrf], ...fields.map(([name, value]) => [name, value])])
    return app.send('POST', path, {
      bytes: form.toString(),
      headers: {
        host: cats.hostname,
        'content-type': 'application/x-www-form-urlencoded',
        'sec-fetch-site': 'same-origin',
        accept: 'text/html',
        'user-agent': 'Mozilla/5.0 Chrome/140',
        ...(cookie !== undefined && { cookie }),
      },
    })
  }
  return { app, cats, key, album, files, see, send, [Symbol.asyncDispose]: () => app[Symbol.asyncDispose]() }
}

onEachStore('a zip of selected files', (store) => {
  test('has its length, and only what its caller may see', async () => {
    await using selection = await startSelection(store)
    const { files, send, app, cats, key } = selection
    const zip = await send('ada', '/-/zip', [
      ['id', files.open],
      ['ids', `${files.hidden},${files.bobs}`],
    ])
    assert.equal(zip.status, 200, zip.text)
    assert.equal(zip.headers['content-type'], 'application/zip')
    assert.match(String(zip.headers['content-length']), /^\d+$/)
    assert.equal((await send('guest', '/-/zip', [['id', files.open]])).status, 200)
    for (const who of ['guest', 'bob'] as const)
      assert.equal((await send(who, '/-/zip', [['ids', `${files.open},${files.hidden}`]])).status, 404, who)
    assert.equal((await send('ada', '/-/zip', [])).status, 400)
    assert.equal((await send('ada', '/-/zip', [['ids', '../etc']])).status, 400)
    const many = Array.from({ length: 10_001 }, (_, at) => at.toString(36)).join(',')
    assert.match((await send('ada', '/-/zip', [['ids', many]])).text, /at most 10000 files, not 10001/)
    await ask5(app, cats, `DELETE files/${files.open}`, { key })
    assert.equal((await send('ada', '/-/zip', [['id', files.open]])).status, 404)
  })
})

onEachStore('selected files of the form', (store) => {
  test('are changed by their owner alone, and bad input is named', async () => {
    await using selection = await startSelection(store)
    const { files, send, app, cats, key, album } = selection
    const selected = (action: string, ...more: readonly (readonly [string, string])[]) =>
      [['id', files.open], ['action', action], ['to', '/mine'], ...more] as const
    const guest = await send('guest', '/mine/selected', selected('trash'))
    assert.equal(guest.status, 302)
    const others = await send('bob', '/mine/selected', selected('trash'))
    assert.equal(others.status, 200)
    assert.match(others.text, /1 file wasn’t changed/)
    const read = async () => (await ask5(app, cats, `GET files/${files.open}`, { key })).json
    assert.equal((await read()).deleted_at, null)
    const moved = await send(
      'ada',
      '/mine/selected',
      selected('move', ['save', '1'], ['album_id', album.id as string]),
    )
    assert.deepEqual([moved.status, moved.headers.location], [303, '/mine'])
    assert.equal((await read()).album_id, album.id)
    const edit = [
      ['save', '1'],
      ['is_nsfw', '1'],
      ['expiration', 'P1W'],
      ['category_id', 'keep'],
    ] as const
    assert.equal((await send('ada', '/mine/selected', selected('edit', ...edit))).status, 303)
    assert.equal((await read()).is_nsfw, true)
    assert.notEqual((await read()).expires_at, null)
    for (const [fields, text] of [
      [selected('fly'), /action: must be/],
      [selected('edit', ['save', '1'], ['expiration', 'P9Y']), /expiration: must be/],
      [selected('edit', ['save', '1'], ['category_id', '-1']), /category_id: must be/],
      [selected('tags', ['save', '1'], ['add_tags', 'x'.repeat(33)]), /add_tags/],
      [[['action', 'trash']] as const, /Select at least one file/],
      [
        [
          ['action', 'trash'],
          ['id', '%'],
        ] as const,
        /id: must be an id/,
      ],
    ] as const) {
      const { status, text: page } = await send('ada', '/mine/selected', fields)
      assert.equal(status, 400)
      assert.match(page, text)
    }
    // The way back leads to a path of the site alone.
    const away = await send('ada', '/mine/selected', [
      ['id', files.open],
      ['action', 'restore'],
      ['to', 'https://evil.test/'],
    ])
    assert.equal(away.headers.location, '/mine')
  })

  test('are moved to a new album in one step, and a refused name is kept beside its reason', async () => {
    await using selection = await startSelection(store)
    const { files, send, app, cats, key } = selection
    const move = (title: string) =>
      send('ada', '/mine/selected', [
        ['id', files.open],
        ['action', 'move'],
        ['to', '/mine'],
        ['save', '1'],
        ['album_id', 'none'],
        ['new_album', title],
      ])
    const albums = async () =>
      (await ask5(app, cats, 'GET albums?user_id=me', { key })).json.data.map(
        ({ title, file_count }: { title: string; file_count: number }) => `${title} ${file_count}`,
      )
    const long = '<b>'.repeat(40)
    const { status, text } = await move(long)
    assert.equal(status, 400)
    assert.match(text, /Use 1 to 100 characters/)
    assert.ok(text.includes(`value="${long.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}"`))
    assert.match(text, /id="move-new_album-fault" role="alert"/)
    assert.deepEqual(await albums(), ['Sea 1'])
    assert.equal((await move(' Lighthouses ')).status, 303)
    assert.deepEqual((await albums()).sort(), ['Lighthouses 1', 'Sea 1'])

    const tags = `dusk, ${'x'.repeat(33)}`
    const refused = await send('ada', '/mine/selected', [
      ['id', files.open],
      ['action', 'tags'],
      ['save', '1'],
      ['add_tags', tags],
      ['remove_tags', 'dawn'],
    ])
    assert.equal(refused.status, 400)
    for (const value of [tags, 'dawn']) assert.ok(refused.text.includes(`value="${value}"`), value)
    assert.match(refused.text, /id="tags-add_tags-fault"/)
  })
})

onEachStore('the shares of an owner', (store) => {
  test('are made, shown, changed and revoked, and are gone at once', async () => {
    await using selection = await startSelection(store)
    const { files, send, see, album, app, cats, key } = selection
    const path = `/album/sea.${album.id}/shares`
    const made = await send('ada', path, [
      ['name', 'For Bob'],
      ['allow_download', '1'],
      ['max_views', '2'],
      ['expires_at', ''],
    ])
    assert.equal(made.status, 303, made.text)
    const page = await see('ada', path)
    assert.equal(page.headers['cache-control'], 'no-store')
    const [url = ''] = /http[^"]*\/share\/\w+/.exec(page.text) ?? []
    const visit = () => askPage(app, cats, `GET ${new URL(url).pathname}`)
    assert.equal((await visit()).status, 200)
    assert.match((await see('ada', '/mine/shares')).text, /1 of 2/)
    const [, id = ''] = /\/mine\/shares\/(\w+)/.exec(page.text) ?? []
    const edited = await send('ada', `/mine/shares/${id}`, [
      ['name', 'Now with a password'],
      ['password', 'nine lives'],
      ['max_views', ''],
    ])
    assert.deepEqual([edited.status, edited.headers.location], [303, '/mine/shares'])
    const share = (await ask5(app, cats, `GET shares/${id}`, { key })).json
    assert.deepEqual([share.has_password, share.max_views, share.allow_download], [true, null, false])
    for (const who of ['bob', 'guest'] as const) {
      const refused = who === 'bob' ? 404 : 302
      assert.equal((await see(who, `/mine/shares/${id}`)).status, refused)
      assert.equal((await send(who, `/mine/shares/${id}/revoke`, [])).status, refused)
      assert.equal((await send(who, path, [])).status, refused)
      assert.notEqual((await see(who, path)).status, 200)
    }
    // Seen by every visitor, but not bob's to share.
    assert.equal((await see('bob', `/image/${files.open}/shares`)).status, 403)
    const revoked = await send('ada', `/mine/shares/${id}/revoke`, [['to', '/mine/shares']])
    assert.equal(revoked.status, 303)
    assert.equal((await visit()).status, 410)
    assert.doesNotMatch((await see('ada', '/mine/shares')).text, /Now with a password/)
  })

  test('keep what was typed when a field is refused, and run no text of a person', async () => {
    await using selection = await startSelection(store)
    const { files, send, see } = selection
    const path = `/image/${files.open}/shares`
    for (const [field, value, text] of [
      ['max_views', 'many', /Enter a whole number, not “many”/],
      ['max_views', '0', /from 1 to 1000000000, not 0/],
      ['expires_at', '2020-01-01T00:00', /Choose a time in the future/],
      ['expires_at', 'soon', /Enter a date and a time/],
      ['name', 'n'.repeat(101), /100/],
      ['password', 'p'.repeat(129), /128/],
    ] as const) {
      const { status, text: page } = await send(
        'ada',
        path,
        [
          ...(
            [
              ['name', 'Kept'],
              [field, value],
            ] as const
          ).filter(([name]) => field !== 'name' || name === field),
        ].slice(field === 'name' ? -1 : 0),
      )
      assert.equal(status, 400, field)
      assert.match(page, text)
      if (field !== 'name') assert.match(page, /value="Kept"/)
    }
    const names = markupStrings.filter(
      (name) => name.trim() === name && [...name].length <= 100 && name !== '',
    )
    for (const name of names.slice(0, 12)) {
      const { status } = await send('ada', path, [
        ['name', name],
        ['allow_download', '1'],
      ])
      assert.equal(status, 303, name)
    }
    const { text } = await see('ada', path)
    assert.equal(text.match(/<script/g)?.length, 1)
    assert.doesNotMatch(text, /<(?:img|svg|iframe|body)[^>]*\son\w+=/i)
  })
})
