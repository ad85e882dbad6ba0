import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { limit, onSiteOf, picture, set, type TestTenant, uploaded, userWithKey } from '../support/uploads.ts'

const make = async (app: TestApp, tenant: TestTenant, key: string, body: object) => {
  const made = await ask5(app, tenant, 'POST albums', { key, body })
  assert.equal(made.status, 201, made.text)
  return made.json
}

const titles = ({ json }: { json: any }) => json.data.map(({ title }: { title: string }) => title)

onEachStore('albums of the API of a site', (store) => {
  test('an album is made, read, listed, changed and deleted', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const made = await ask5(app, cats, 'POST albums', { key, body: { title: ' Kittens ', privacy: 'link' } })
    assert.equal(made.status, 201, made.text)
    const album = made.json
    assert.equal(made.headers.location, `/api/5/albums/${album.id}`)
    assert.equal(made.headers.etag, '"1"')
    assert.deepEqual(
      [album.title, album.privacy, album.parent_id, album.cover_file_id, album.sort, album.version],
      ['Kittens', 'link', null, null, 'position', 1],
    )
    assert.equal(album.user.username, 'ada')
    assert.match(album.url, new RegExp(`/album/Kittens\\.${album.id}$`))

    const read = await ask5(app, cats, `GET albums/${album.id}`, { key })
    assert.deepEqual([read.status, read.json, read.headers.etag], [200, album, '"1"'])
    assert.equal(read.headers['cache-control'], 'private, no-cache')
    const known = { 'if-none-match': '"1"' }
    assert.equal((await ask5(app, cats, `GET albums/${album.id}`, { key, headers: known })).status, 304)
    assert.deepEqual((await ask5(app, cats, 'GET albums', { key })).json.data, [album])

    const edit = { title: 'Cats', description: 'All\nof them', sort: '-created', privacy: 'public' }
    const headers = { 'if-match': '"1"' }
    const edited = await ask5(app, cats, `PATCH albums/${album.id}`, { key, body: edit, headers })
    assert.equal(edited.status, 200, edited.text)
    const { updated_at: updatedAt, url, ...rest } = edited.json
    assert.deepEqual(
      { ...album, ...edit, version: 2 },
      { ...rest, updated_at: album.updated_at, url: album.url },
    )
    assert.ok(updatedAt >= album.updated_at)
    const again = await ask5(app, cats, `PATCH albums/${album.id}`, { key, body: edit, headers })
    assert.deepEqual(problem(again), [412, 'version-differs'])
    const cleared = await ask5(app, cats, `PATCH albums/${album.id}`, {
      key,
      body: { description: null, sort: null },
    })
    assert.deepEqual([cleared.json.description, cleared.json.sort], [null, 'position'])

    const stale = await ask5(app, cats, `DELETE albums/${album.id}`, { key, headers })
    assert.deepEqual(problem(stale), [412, 'version-differs'])
    assert.equal((await ask5(app, cats, `DELETE albums/${album.id}`, { key })).status, 204)
    for (const call of ['GET', 'DELETE'])
      assert.deepEqual(problem(await ask5(app, cats, `${call} albums/${album.id}`, { key })), [
        404,
        'not-found',
      ])
  })

  test('bad fields are refused, all at once', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const album = await make(app, cats, key, { title: 'x' })
    const faultsOf = async (call: string, body: object) => {
      const answer = await ask5(app, cats, call, { key, body })
      assert.deepEqual(problem(answer), [400, 'invalid'], JSON.stringify(body))
      return answer.json.errors.map(({ pointer }: { pointer: string }) => pointer).sort()
    }
    const many = {
      title: '',
      privacy: 'open',
      password: '',
      parent_id: 'é',
      sort: 'size2',
      description: 'a\0',
    }
    assert.deepEqual(
      await faultsOf('POST albums', many),
      Object.keys(many)
        .map((field) => `#/${field}`)
        .sort(),
    )
    for (const [body, field] of [
      [{ title: 'a'.repeat(101) }, 'title'],
      [{ title: 'a', password: 'x'.repeat(129), privacy: 'password' }, 'password'],
      [{ title: 'a', privacy: 'password' }, 'password'],
      [{ title: 'a', privacy: 'link', password: 'x' }, 'password'],
      [{ title: 'a', parent_id: 'none0' }, 'parent_id'],
      [{ title: 'a', cover_file_id: 'x' }, 'cover_file_id'],
    ] as const)
      assert.deepEqual(await faultsOf('POST albums', body), [`#/${field}`])
    assert.deepEqual(await faultsOf(`PATCH albums/${album.id}`, {}), ['#'])
    assert.deepEqual(await faultsOf(`PATCH albums/${album.id}`, { privacy: 'password' }), ['#/password'])
    const wrong = await ask5(app, cats, 'GET albums?sort=size&user_id=&x=1', { key })
    assert.deepEqual(
      wrong.json.errors.map(({ parameter }: { parameter: string }) => parameter),
      ['sort', 'user_id', 'x'],
    )
    assert.equal((await ask5(app, cats, 'GET albums?user_id=me')).status, 400)
    await limit(app, cats, { SERVICE_MAX_ALBUMS: '1' })
    const full = await ask5(app, cats, 'POST albums', { key, body: { title: 'y' } })
    assert.deepEqual([problem(full), full.json.error.code], [[403, 'limit-reached'], 999])
  })

  test('who sees and lists an album follows its privacy, its owner and the setting listing', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const bob = await userWithKey(app, cats, 'bob')
    const eve = await userWithKey(app, cats, 'eve')
    const keys = {
      owner: await keyOf(app, cats, 'write', bob.userId),
      reader: await keyOf(app, cats, 'read', bob.userId),
      other: await keyOf(app, cats, 'write', eve.userId),
      admin: await keyOf(app, cats, 'admin'),
    }
    const ids: Record<string, string> = {}
    for (const privacy of ['public', 'link', 'password', 'private'])
      ids[privacy] = (
        await make(app, cats, keys.owner, {
          title: privacy,
          privacy,
          ...(privacy === 'password' && { password: 'x' }),
        })
      ).id
    const all = Object.keys(ids)
    const callers = { ...keys, visitor: undefined }
    const seen: Record<string, string[]> = { visitor: ['public', 'link'], other: ['public', 'link'] }
    for (const [name, key] of Object.entries(callers)) {
      const caller = key === undefined ? {} : { key }
      for (const privacy of all) {
        const { status } = await ask5(app, cats, `GET albums/${ids[privacy]}`, caller)
        assert.equal(status === 200, (seen[name] ?? all).includes(privacy), `${name} ${privacy} ${status}`)
        const edit = await ask5(app, cats, `PATCH albums/${ids[privacy]}`, {
          ...caller,
          body: { title: privacy },
        })
        const expected = { owner: 200, admin: 200, reader: 403, visitor: 401 }[name]
        assert.equal(edit.status, expected ?? ((seen[name] ?? all).includes(privacy) ? 403 : 404))
      }
      for (const listing of ['off', 'members', 'public']) {
        await set(app, cats, { listing })
        const listed = titles(await ask5(app, cats, 'GET albums?sort=created', caller))
        const isOpen = listing === 'public' || (listing === 'members' && name !== 'visitor')
        const others = isOpen ? ['public'] : []
        assert.deepEqual(listed, seen[name] ? others : all, `${name} ${listing}`)
      }
    }
    const upload = await keyOf(app, cats, 'upload', bob.userId)
    assert.equal((await ask5(app, cats, 'POST albums', { key: upload, body: { title: 'x' } })).status, 403)
    const bound = await ask5(app, cats, 'POST keys', {
      key: keys.owner,
      body: { name: 'bound', scope: 'write', album_id: ids.private },
    })
    const by = { key: bound.json.key }
    assert.deepEqual(titles(await ask5(app, cats, 'GET albums', by)), ['private'])
    assert.equal((await ask5(app, cats, `GET albums/${ids.public}`, by)).status, 404)
    assert.equal((await ask5(app, cats, 'POST albums', { ...by, body: { title: 'x' } })).status, 403)
  })

  test('a list goes on where its cursor says, in every sort', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    for (const title of ['b', 'É', 'a', 'D', 'c']) await make(app, cats, key, { title })
    for (const sort of ['created', '-created', 'title', '-title', 'views', '-likes']) {
      const found: string[] = []
      for (let cursor = ''; ; ) {
        const page = await ask5(app, cats, `GET albums?limit=2&sort=${sort}${cursor}`, { key })
        assert.equal(page.status, 200, page.text)
        found.push(...titles(page))
        if (page.json.next_cursor === null) break
        cursor = `&cursor=${page.json.next_cursor}`
      }
      const byTitle = ['a', 'b', 'c', 'D', 'É']
      if (sort === 'title') assert.deepEqual(found, byTitle)
      if (sort === '-title') assert.deepEqual(found, byTitle.toReversed())
      assert.deepEqual([...found].sort(), [...byTitle].sort(), sort)
    }
    const counted = await ask5(app, cats, 'GET albums?limit=2&count=true', { key })
    assert.deepEqual(counted.json.total, { value: 5, is_exact: true })
    const found = await ask5(app, cats, 'GET albums?q=e&count=true', { key })
    assert.deepEqual([titles(found), found.json.total.value], [['É'], 1])
    assert.deepEqual((await ask5(app, cats, 'GET albums?count=true')).json.total, {
      value: 0,
      is_exact: true,
    })
  })

  test('sub-albums: depth, circles, openness, and what happens when the album above closes or goes', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const chain: any[] = []
    for (let level = 1; level <= 8; level += 1)
      chain.push(await make(app, cats, key, { title: `${level}`, parent_id: chain.at(-1)?.id ?? null }))
    const [top, second, third] = chain
    const deeper = await ask5(app, cats, 'POST albums', { key, body: { title: '9', parent_id: chain[7].id } })
    assert.deepEqual(problem(deeper), [409, 'conflict'])
    const patch = (id: string, body: object) => ask5(app, cats, `PATCH albums/${id}`, { key, body })
    for (const below of [top, third, chain[7]])
      assert.deepEqual(problem(await patch(top.id, { parent_id: below.id })), [409, 'conflict'])
    const loose = await make(app, cats, key, { title: 'loose' })
    const under = await make(app, cats, key, { title: 'under', parent_id: loose.id })
    assert.deepEqual(problem(await patch(loose.id, { parent_id: chain[6].id })), [409, 'conflict'])
    assert.equal((await patch(loose.id, { parent_id: chain[5].id })).status, 200)
    assert.equal((await patch(loose.id, { parent_id: null })).json.parent_id, null)
    const found = titles(await ask5(app, cats, `GET albums?parent_id=${loose.id}`, { key }))
    assert.deepEqual(found, ['under'])
    assert.deepEqual(titles(await ask5(app, cats, 'GET albums?parent_id=none&sort=created', { key })), [
      '1',
      'loose',
    ])

    const privacyOf = async (id: string) => (await ask5(app, cats, `GET albums/${id}`, { key })).json.privacy
    assert.equal((await patch(third.id, { privacy: 'private' })).status, 200)
    assert.equal(await privacyOf(chain[7].id), 'private')
    assert.equal(await privacyOf(second.id), 'public')
    const closed = await patch(top.id, { privacy: 'password', password: 'secret' })
    assert.equal(closed.status, 200, closed.text)
    assert.deepEqual([await privacyOf(second.id), await privacyOf(third.id)], ['password', 'private'])
    assert.deepEqual(problem(await patch(second.id, { privacy: 'link' })), [400, 'invalid'])
    assert.deepEqual(problem(await patch(under.id, { parent_id: top.id })), [400, 'invalid'])
    assert.equal((await patch(under.id, { parent_id: top.id, privacy: 'private' })).status, 200)
    const inherited = await make(app, cats, key, { title: 'inherited', parent_id: top.id })
    assert.equal(inherited.privacy, 'password')

    assert.equal((await ask5(app, cats, `DELETE albums/${second.id}`, { key })).status, 204)
    const lifted = (await ask5(app, cats, `GET albums/${third.id}`, { key })).json
    assert.deepEqual([lifted.parent_id, lifted.privacy], [top.id, 'private'])
    const bob = await keyOf(app, cats, 'write', (await userWithKey(app, cats, 'bob')).userId)
    const foreign = await ask5(app, cats, 'POST albums', {
      key: bob,
      body: { title: 'x', parent_id: top.id },
    })
    assert.deepEqual(foreign.json.errors?.[0]?.pointer, '#/parent_id')
  })

  test('a cover lies in the album or below; counts follow the files; deleting keeps them', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const top = await make(app, cats, key, { title: 'top', privacy: 'private' })
    const sub = await make(app, cats, key, { title: 'sub', parent_id: top.id })
    const put = async (albumId: string | undefined, seed: number) => {
      const file = await picture({ seed })
      await uploaded(app, cats, { file, fields: albumId === undefined ? {} : { album_id: albumId } })
      const rows = await onSiteOf(app, cats, (site) =>
        site.db.selectFrom('file').select(['id', 'sizeBytes']).orderBy('createdAt', 'desc').execute(),
      )
      return rows[0] ?? { id: '', sizeBytes: 0 }
    }
    const inTop = await put(top.id, 1)
    app.wait(1)
    const inSub = await put(sub.id, 2)
    app.wait(1)
    const loose = await put(undefined, 3)
    const patch = (id: string, cover: string | null) =>
      ask5(app, cats, `PATCH albums/${id}`, { key, body: { cover_file_id: cover } })
    assert.equal((await patch(top.id, inSub.id)).json.cover_file_id, inSub.id)
    assert.deepEqual(problem(await patch(sub.id, inTop.id)), [400, 'invalid'])
    assert.deepEqual(problem(await patch(top.id, loose.id)), [400, 'invalid'])
    const read = (await ask5(app, cats, `GET albums/${top.id}`, { key })).json
    assert.deepEqual([read.file_count, read.size], [1, inTop.sizeBytes])

    const bound = await ask5(app, cats, 'POST keys', {
      key,
      body: { name: 'b', scope: 'read', album_id: top.id },
    })
    assert.equal((await ask5(app, cats, `DELETE albums/${top.id}`, { key })).status, 204)
    assert.equal((await ask5(app, cats, 'GET me', { key: bound.json.key })).status, 401)
    const rows = await onSiteOf(app, cats, (site) =>
      site.db.selectFrom('file').select(['albumId', 'isPrivate']).orderBy('createdAt').execute(),
    )
    assert.deepEqual(rows, [
      { albumId: null, isPrivate: 1 },
      { albumId: sub.id, isPrivate: 0 },
      { albumId: null, isPrivate: 0 },
    ])
  })

  test('with files=trash the files go into the trash, and come back without the album', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const album = await make(app, cats, key, { title: 'x', privacy: 'private' })
    const image = await uploaded(app, cats, { fields: { album_id: album.id } })
    const wrong = await ask5(app, cats, `DELETE albums/${album.id}?files=burn`, { key })
    assert.deepEqual(problem(wrong), [400, 'invalid'])
    assert.equal((await ask5(app, cats, `DELETE albums/${album.id}?files=trash`, { key })).status, 204)
    assert.deepEqual((await ask5(app, cats, 'GET files', { key })).json.data, [])
    const [trashed] = (await ask5(app, cats, 'GET files?trashed=true', { key })).json.data
    assert.deepEqual([trashed.id, trashed.album_id, trashed.is_private], [image.id_encoded, null, true])
    const restored = await ask5(app, cats, `POST files/${trashed.id}/restore`, { key })
    assert.equal(restored.status, 200, restored.text)
    assert.equal((await app.call('GET', 'tenants/cats')).json.stats.files, 1)

    await set(app, cats, { trash_days: '0' })
    const second = await make(app, cats, key, { title: 'y' })
    const gone = await uploaded(app, cats, {
      file: await picture({ seed: 5 }),
      fields: { album_id: second.id },
    })
    assert.equal((await ask5(app, cats, `DELETE albums/${second.id}?files=trash`, { key })).status, 204)
    assert.equal((await ask5(app, cats, `GET files/${gone.id_encoded}`, { key })).status, 404)
    assert.equal((await app.call('GET', 'tenants/cats')).json.stats.files, 1)
  })

  test('likes count once for each user, and the totals follow', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const bob = await keyOf(app, cats, 'write', (await userWithKey(app, cats, 'bob')).userId)
    const open = await make(app, cats, key, { title: 'open' })
    const closed = await make(app, cats, key, { title: 'closed', privacy: 'private' })
    const like = (method: string, id: string, by: string) =>
      ask5(app, cats, `${method} albums/${id}/like`, { key: by })
    await Promise.all([1, 2, 3].map(() => like('PUT', open.id, bob)))
    assert.equal((await like('PUT', open.id, key)).status, 204)
    const read = async (by: string) => (await ask5(app, cats, `GET albums/${open.id}`, { key: by })).json
    assert.deepEqual(
      [(await read(bob)).likes, (await read(bob)).is_liked, (await read(bob)).version],
      [2, true, 1],
    )
    assert.equal((await like('DELETE', open.id, bob)).status, 204)
    assert.equal((await like('DELETE', open.id, bob)).status, 204)
    assert.deepEqual([(await read(bob)).likes, (await read(bob)).is_liked], [1, false])
    assert.deepEqual(problem(await like('PUT', closed.id, bob)), [404, 'not-found'])
    const { json } = await app.call('GET', 'tenants/cats')
    assert.equal(json.stats?.album_likes, 1)
  })

  test('an Idempotency-Key makes one album of many requests', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const headers = { 'idempotency-key': 'one' }
    const body = { title: 'once', privacy: 'password', password: 'x' }
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => ask5(app, cats, 'POST albums', { key, body, headers })),
    )
    assert.deepEqual(new Set(answers.map(({ status, json }) => `${status} ${json.id}`)).size, 1)
    assert.equal((await ask5(app, cats, 'GET albums', { key })).json.data.length, 1)
  })
})
