import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createAlbum, createCategory } from '../../src/media/index.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, problem } from '../support/media.ts'
import { limit, nowOf, onSiteOf, set, uploaded, userWithKey } from '../support/uploads.ts'

onEachStore('edits of files', (store) => {
  test('a file is changed field by field, and its version rises', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const { id_encoded: id } = await uploaded(app, cats, { fields: { tags: 'a,b', title: 'before' } })
    const [album, category] = await onSiteOf(app, cats, async (site) => [
      await createAlbum(site, { username: 'ada', title: 'Cats', privacy: 'private' }),
      await createCategory(site, { name: 'Street art' }),
    ])
    const patch = (body: object) => ask5(app, cats, `PATCH files/${id}`, { key, body })
    const expires_at = new Date(nowOf(app).getTime() + 86_400_000).toISOString()
    const fields = {
      title: 'Ärger 🐈',
      description: 'line\nline\u0007',
      category_id: category.id,
      album_id: album.id,
      is_nsfw: true,
      is_private: true,
      expires_at,
      date: '2001-02-03T04:05:06.007Z',
    }
    const edited = await patch({ ...fields, tags: ['c', ' d  e '] })
    assert.equal(edited.status, 200, edited.text)
    assert.equal(edited.headers.etag, '"2"')
    const read = await ask5(app, cats, `GET files/${id}`, { key })
    assert.deepEqual(read.json, edited.json)
    for (const [name, value] of Object.entries(fields)) assert.equal(read.json[name], value, name)
    assert.deepEqual([read.json.tags, read.json.version], [['c', 'd e'], 2])
    const tagged = await patch({ add_tags: ['a', 'c'], remove_tags: ['d e', 'none'] })
    assert.deepEqual(tagged.json.tags, ['a', 'c'])
    const cleared = await patch({
      title: null,
      description: null,
      tags: null,
      category_id: null,
      album_id: null,
      expires_at: null,
    })
    const { title, description, tags, category_id, album_id, expires_at: end, version } = cleared.json
    assert.deepEqual(
      [title, description, tags, category_id, album_id, end, version],
      [null, null, [], null, null, null, 4],
    )
  })

  test('an edit with wrong fields is refused, and each field is named', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const { id_encoded: id } = await uploaded(app, cats, { fields: { tags: 'a,b' } })
    const patch = (body: object) => ask5(app, cats, `PATCH files/${id}`, { key, body })
    const long = 'x'.repeat(101)
    const bad = await patch({
      title: long,
      description: '',
      tags: ['ok', 'a,b'],
      add_tags: ['x'],
      date: 'now',
    })
    assert.deepEqual(problem(bad), [400, 'invalid'])
    assert.deepEqual(bad.json.errors.map(({ pointer }: { pointer: string }) => pointer).sort(), [
      '#/date',
      '#/description',
      '#/tags',
      '#/tags/1',
      '#/title',
    ])
    assert.match(bad.json.detail, /title: must be 1 to 100 characters long, not 101/)
    for (const body of [
      {},
      { name: 'x' },
      { title: 'a\0b' },
      { album_id: 'nothing' },
      { category_id: 99 },
      { expires_at: '2001-01-01T00:00:00Z' },
      { is_nsfw: 'yes' },
    ])
      assert.deepEqual(problem(await patch(body)), [400, 'invalid'], JSON.stringify(body))
  })

  test('tags are limited for each file and for the site', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const { id_encoded: id } = await uploaded(app, cats, { fields: { tags: 'a,b' } })
    const patch = (body: object) => ask5(app, cats, `PATCH files/${id}`, { key, body })
    await limit(app, cats, { SERVICE_MAX_TAGS_PER_FILE: '2', SERVICE_MAX_TAGS: '3' })
    assert.deepEqual(problem(await patch({ tags: ['1', '2', '3'] })), [400, 'invalid'])
    assert.deepEqual(problem(await patch({ tags: ['1', '2'] })), [403, 'limit-reached'])
    assert.deepEqual((await patch({ tags: ['a', 'b'] })).json.tags, ['a', 'b'])
  })

  test('an edit with If-Match is refused unless it names the version of the file', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'admin')
    const { id_encoded: id } = await uploaded(app, cats, { fields: { tags: 'a,b' } })
    const patch = (body: object, headers = {}) => ask5(app, cats, `PATCH files/${id}`, { key, body, headers })
    assert.equal((await patch({ title: 'first' })).json.version, 2)
    assert.deepEqual(problem(await patch({ title: 'x' }, { 'if-match': '"1"' })), [412, 'version-differs'])
    assert.deepEqual(problem(await patch({ title: 'x' }, { 'if-match': 'W/"2"' })), [412, 'version-differs'])
    assert.equal((await patch({ title: 'x' }, { 'if-match': '"2"' })).status, 200)
    assert.equal((await patch({ title: 'y' }, { 'if-match': '*' })).status, 200)
  })

  test('of sixteen editors with one version, one wins', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const key = await keyOf(app, cats, 'write')
    const { id_encoded: id } = await uploaded(app, cats)
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) =>
        ask5(app, cats, `PATCH files/${id}`, {
          key,
          body: { title: `editor ${index}` },
          headers: { 'if-match': '"1"' },
        }),
      ),
    )
    assert.deepEqual(
      answers.map(({ status }) => status).sort((a, b) => a - b),
      [200, ...Array.from({ length: 15 }, () => 412)],
    )
    const winner = answers.find(({ status }) => status === 200)
    assert.equal((await ask5(app, cats, `GET files/${id}`, { key })).json.title, winner?.json.title)
  })

  test('a file is changed by its owner and administrators alone', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const admin = await keyOf(app, cats, 'admin')
    const adas = await keyOf(app, cats, 'write')
    const eve = await userWithKey(app, cats, 'eve')
    const [mine, hers] = await onSiteOf(app, cats, async (site) => [
      await createAlbum(site, { username: 'ada', title: 'a', privacy: 'private' }),
      await createAlbum(site, { username: 'eve', title: 'e', privacy: 'public' }),
    ])
    const { id_encoded: id } = await uploaded(app, cats, { key: eve.key })
    const eves = await keyOf(app, cats, 'write', eve.userId)
    const patch = async (key: string | undefined, body: object) => {
      const answer = await ask5(app, cats, `PATCH files/${id}`, { ...(key && { key }), body })
      return answer.status === 200 ? 200 : problem(answer)
    }
    assert.equal(await patch(eves, { title: 'e', album_id: hers.id }), 200)
    assert.deepEqual(await patch(eves, { album_id: mine.id }), [400, 'invalid'])
    assert.deepEqual(await patch(eves, { date: '2001-01-01T00:00:00.000Z' }), [403, 'forbidden'])
    assert.deepEqual(await patch(adas, { title: 'a' }), [403, 'forbidden'])
    assert.deepEqual(await patch(undefined, { title: 'a' }), [401, 'unauthenticated'])
    assert.deepEqual(await patch(await keyOf(app, cats, 'read', eve.userId), { title: 'a' }), [
      403,
      'scope-missing',
    ])
    assert.equal(await patch(admin, { title: 'a', is_private: true }), 200)
    assert.deepEqual(await patch(adas, { title: 'a' }), [404, 'not-found'])
    assert.equal(await patch(admin, { album_id: mine.id }), 200)

    const made = await ask5(app, cats, 'POST keys', {
      key: eves,
      body: { name: 'bound', scope: 'write', album_id: hers.id },
    })
    const bound: string = made.json.key
    assert.deepEqual(await patch(bound, { title: 'b' }), [404, 'not-found'])
    assert.equal(await patch(admin, { album_id: hers.id }), 200)
    assert.equal(await patch(bound, { title: 'b' }), 200)
    assert.deepEqual(await patch(bound, { album_id: null }), [400, 'invalid'])
    await set(app, cats, { listing: 'public' })
    const listed = await ask5(app, cats, 'GET files', { key: bound })
    assert.deepEqual(
      listed.json.data.map((file: { id: string }) => file.id),
      [id],
    )
  })
})
