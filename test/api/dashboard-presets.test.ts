import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn } from '../support/media.ts'
import { askPage, tokenIn, visitAs } from '../support/pages.ts'
import { limit, onSiteOf, picture, set, type TestTenant, uploaded, userWithKey } from '../support/uploads.ts'

const path = '/dashboard/settings/transforms'
const fields = {
  name: 'card',
  width: '400',
  height: '300',
  fit: 'cover',
  position: '',
  format: 'jpeg',
  quality: '',
  background: '',
}

type Visitor = Awaited<ReturnType<typeof visitAs>>

async function versionOf(here: Visitor, name: string): Promise<string> {
  const { text } = await here.show(`${path}/preset/${name}`)
  return /name="version" value="(\d+)"/.exec(text)?.[1] ?? ''
}

const srcIn = (text: string) =>
  /<img class="preset-picture" src="([^"]+)"/.exec(text)?.[1]?.replaceAll('&amp;', '&') ?? ''

onEachStore('the presets of the dashboard', (store) => {
  test('are made, shown with a picture of the site, changed and deleted', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats)
    assert.match((await here.show(path)).text, /No presets yet/)
    assert.match(
      (await here.show('/dashboard/settings/general')).text,
      /href="\/dashboard\/settings\/transforms"/,
    )
    const made = await here.send(`${path}/new`, fields)
    assert.deepEqual([made.status, made.headers.location], [303, `${path}?saved=1`])
    assert.match((await here.show(path)).text, /Upload a picture to see it here/)
    const file = await picture({ width: 900, height: 600 })
    await uploaded(app, cats, { file })
    const shown = await here.show(path)
    const first = srcIn(shown.text)
    assert.match(first, /\?preset=card&changed=\d+$/)
    assert.match(shown.text, /width="400" height="300"/)
    assert.equal((await ask(app, first)).headers['content-type'], 'image/jpeg')

    const version = await versionOf(here, 'card')
    const edited = await here.send(`${path}/preset/card`, {
      ...fields,
      width: '100',
      height: '',
      anim: '1',
      version,
    })
    assert.deepEqual([edited.status, edited.headers.location], [303, `${path}?saved=1`])
    const key = await keyOf(app, cats, 'admin')
    const { json } = await ask5(app, cats, 'GET presets/card', { key })
    assert.deepEqual([json.width, json.height, json.fit, json.anim], [100, null, 'cover', true])
    // Another address, because a browser may keep the earlier picture for an hour.
    assert.notEqual(srcIn((await here.show(path)).text), first)

    const asked = await here.show(`${path}/preset/card/delete`)
    assert.match(asked.text, /Delete card\?/)
    const gone = await here.send(`${path}/preset/card/delete`, { version: await versionOf(here, 'card') })
    assert.deepEqual([gone.status, gone.headers.location], [303, `${path}?saved=1`])
    assert.equal((await here.show(`${path}/preset/card`)).status, 404)
  })

  test('are refused with the text kept, and a name is used once', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats)
    const wrong = {
      ...fields,
      name: 'No Name',
      width: 'wide',
      height: '5000',
      quality: '0',
      background: 'red',
    }
    const refused = await here.send(`${path}/new`, wrong)
    assert.equal(refused.status, 400)
    for (const text of [
      '1 to 32 of these characters',
      'from 1 to 4096, not “wide”',
      'not “5000”',
      'not “0”',
      'not “red”',
    ])
      assert.ok(refused.text.includes(text), text)
    assert.match(refused.text, /value="No Name"/)
    const empty = {
      name: 'card',
      width: '',
      height: '',
      fit: '',
      position: '',
      format: '',
      quality: '',
      background: '',
    }
    const nothing = await here.send(`${path}/new`, empty)
    assert.equal(nothing.status, 400)
    assert.match(nothing.text, /Fill in at least one of the options/)
    await here.send(`${path}/new`, fields)
    const taken = await here.send(`${path}/new`, { ...fields, width: '50' })
    assert.equal(taken.status, 409)
    assert.match(taken.text, /There is already a preset with this name/)
    assert.equal((await here.send(`${path}/new`, { ...fields, name: 'new' })).status, 303)
    assert.equal((await here.show(`${path}/preset/new`)).status, 200)
    for (const name of ['none', 'No', '%00'])
      assert.equal((await here.show(`${path}/preset/${name}`)).status, 404)
  })

  test('that another administrator has changed are chosen from, and saved then', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const here = await visitAs(app, cats)
    await here.send(`${path}/new`, fields)
    const version = await versionOf(here, 'card')
    const key = await keyOf(app, cats, 'admin')
    await ask5(app, cats, 'PUT presets/card', {
      key,
      body: { width: 500, height: 300, fit: 'cover', format: 'jpeg' },
    })
    const mine = { ...fields, width: '450', version }
    const late = await here.send(`${path}/preset/card`, mine)
    assert.equal(late.status, 412)
    assert.match(late.text, /Another administrator changed this preset/)
    assert.match(late.text, /name="conflict" value="width"/)
    const now = /name="version" value="(\d+)"/.exec(late.text)?.[1] ?? ''
    const open = await here.send(`${path}/preset/card`, { ...mine, version: now, conflict: 'width' })
    assert.equal(open.status, 400)
    const chosen = await here.send(`${path}/preset/card`, {
      ...mine,
      version: now,
      conflict: 'width',
      take: 'width:mine',
    })
    assert.equal(chosen.status, 200)
    assert.equal((await here.send(`${path}/preset/card`, { ...mine, version: now })).status, 303)
    assert.equal((await ask5(app, cats, 'GET presets/card', { key })).json.width, 450)
    const removed = await here.send(`${path}/preset/card/delete`, { version })
    assert.equal(removed.status, 412)
  })

  test('are for administrators with a proof of the last ten minutes', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await userWithKey(app, cats, 'mia', 'manager')
    const mia = await visitAs(app, cats, { login: 'mia', password: 'a long password' })
    for (const page of [path, `${path}/new`]) assert.equal((await mia.show(page)).status, 403, page)
    assert.equal((await askPage(app, cats, `GET ${path}`)).status, 302)
    const { headers } = await logIn(app, cats, { login: 'ada', password: 'a long password' })
    const cookie = headers.cookie ?? ''
    app.wait(11 * 60)
    const page = await askPage(app, cats, `GET ${path}/new`, { cookie })
    assert.match(page.text, /name="current"/)
    const form = { csrf: tokenIn(page), ...fields }
    const asked = await askPage(app, cats, `POST ${path}/new`, { cookie, form })
    assert.notEqual(asked.status, 303)
    assert.equal(await countIn(app, cats), 0)
    const proven = { ...form, current: 'a long password' }
    assert.equal((await askPage(app, cats, `POST ${path}/new`, { cookie, form: proven })).status, 303)
    assert.equal(await countIn(app, cats), 1)
  })

  test('show protected pictures where there are no others, and say if they have no effect', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await set(app, cats, { protect_bytes: '1' })
    const here = await visitAs(app, cats)
    await here.send(`${path}/new`, fields)
    const key = await keyOf(app, cats, 'write')
    const album = (await ask5(app, cats, 'POST albums', { key, body: { title: 'a', privacy: 'private' } }))
      .json
    await uploaded(app, cats, {
      file: await picture({ width: 900, height: 600 }),
      fields: { album_id: album.id },
    })
    const src = srcIn((await here.show(path)).text)
    assert.match(src, /&s=/)
    assert.equal((await ask(app, src)).status, 200)
    await limit(app, cats, { SERVICE_ENABLE_TRANSFORMS: '0' })
    const off = (await here.show(path)).text
    assert.match(off, /presets have no effect/)
    assert.equal(srcIn(off), '')
  })
})

const countIn = (app: Parameters<typeof onSiteOf>[0], cats: TestTenant) =>
  onSiteOf(app, cats, async ({ db }) => (await db.selectFrom('preset').select('name').execute()).length)
