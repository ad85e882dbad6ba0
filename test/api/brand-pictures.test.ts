import assert from 'node:assert/strict'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { listBrandPictures } from '../../src/media/index.ts'
import { ask } from '../support/delivered.ts'
import { assertHealthy } from '../support/doctor.ts'
import { pictureParts, sendPicture } from '../support/fixtures/brand.ts'
import { onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { doDueJobs } from '../support/jobs.ts'
import { keyOf, walk } from '../support/media.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { onSiteOf, type Part, picture, type TestTenant } from '../support/uploads.ts'

/** What the page says of a field that it refused; else its title. */
const faultIn = (text: string): string =>
  (/<p class="fault"[\s\S]*?<\/p>/.exec(text) ?? /<h1>[\s\S]*?<\/p>/.exec(text) ?? [text]).join()

const storedKeys = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, async ({ storage }) =>
    (await storage.list('brand', undefined, 10)).map(({ key }) => key),
  )

const slots = ['logo', 'logo-dark', 'icon']

async function withSecret(): Promise<Buffer> {
  const bytes = await sharp(await picture({ width: 900, height: 300 }))
    .withExif({ IFD0: { Copyright: 'SECRET-MARK' } })
    .png()
    .toBuffer()
  assert.ok(bytes.includes('SECRET-MARK'))
  return bytes
}

onEachStore('logo and icon of a site', (store) => {
  describe('on a site with all pictures', () => {
    let app: TestApp
    beforeAll(async () => {
      app = await startTestApp({ store })
    })
    afterAll(() => app?.[Symbol.asyncDispose]())

    /** A site for one test, and where its pages show the pictures. */
    async function openSite(id: string) {
      const tenant = await app.tenant(id)
      const ada = await visitAs(app, tenant)
      const send = async (slot: string, parts: Part[]) => {
        const saved = await sendPicture(app, tenant, ada, { slot, parts })
        assert.equal(saved.status, 303, faultIn(saved.text))
      }
      await send('logo', pictureParts(await withSecret()))
      await send('logo-dark', pictureParts(await picture({ width: 60, height: 20, seed: 1, format: 'jpeg' })))
      await send('icon', pictureParts(await picture({ width: 64, height: 40, seed: 2, format: 'webp' })))
      const { text } = await askPage(app, tenant, 'GET /login')
      const [light = ''] = /(?<=<img class="logo" src=")[^"]+/.exec(text) ?? []
      const [dark = ''] = /(?<=srcset=")\/-\/brand[^"]+/.exec(text) ?? []
      const [icon = ''] =
        /(?<=<link rel="icon" type="image\/webp" sizes="320x320" href=")[^"]+/.exec(text) ?? []
      return { tenant, send, light, dark, icon }
    }

    const at = (tenant: TestTenant, path: string) => ask(app, `http://${tenant.hostname}${path}`)

    test('are encoded anew, smaller and without metadata', async () => {
      const { tenant, light } = await openSite('encoded')
      const sent = await at(tenant, light)
      assert.ok(!sent.bytes.includes('SECRET-MARK'))
      const { width, height } = await sharp(sent.bytes).metadata()
      assert.deepEqual([width, height], [500, 167])
    })

    test('are cached by browsers for a year', async () => {
      const { tenant, light } = await openSite('cached')
      const { status, headers } = await at(tenant, light)
      assert.deepEqual(
        [status, headers['content-type'], headers['cache-control'], headers['x-content-type-options']],
        [200, 'image/png', 'public, max-age=31536000, immutable', 'nosniff'],
      )
    })

    test('are on every page, in the manifest and at /favicon.ico', async () => {
      const { tenant, dark, icon } = await openSite('shown')
      assert.equal((await at(tenant, dark)).headers['content-type'], 'image/jpeg')
      assert.equal((await at(tenant, icon)).status, 200)
      assert.equal((await askPage(app, tenant, 'GET /favicon.ico')).headers.location, icon)
      const manifest = (await askPage(app, tenant, 'GET /manifest.webmanifest')).json
      assert.deepEqual(manifest.icons, [{ src: icon, type: 'image/webp', sizes: '320x320' }])
    })

    test('are deleted when another picture replaces them or they are removed', async () => {
      const { tenant, send, light } = await openSite('replaced')
      await send('logo', pictureParts(await picture({ width: 90, height: 30, seed: 9 })))
      assert.equal((await at(tenant, light)).status, 404)
      assert.equal((await storedKeys(app, tenant)).length, 3)
      for (const slot of slots) await send(slot, [{ name: 'action', value: 'remove' }])
      assert.deepEqual(await storedKeys(app, tenant), [])
      assert.match((await askPage(app, tenant, 'GET /login')).text, /<svg class="mark"/)
      const { location } = (await askPage(app, tenant, 'GET /favicon.ico')).headers
      assert.match(String(location), /mark-\w+\.svg/)
    })

    test('are recorded in the audit log with their sizes', async () => {
      const { tenant, send } = await openSite('recorded')
      await send('logo', pictureParts(await picture({ width: 90, height: 30, seed: 9 })))
      await send('logo', [{ name: 'action', value: 'remove' }])
      const key = await keyOf(app, tenant, 'admin')
      const log = await walk(app, tenant, 'GET audit?verb=setting.changed', { key })
      const rows = log.filter(({ actor }) => actor.kind === 'user').toReversed()
      assert.deepEqual(
        rows.map(({ target }) => target),
        [...slots, 'logo', 'logo'],
      )
      assert.deepEqual([rows[3].before.width, rows[3].after.width, rows[4].after], [500, 90, {}])
    })
  })

  test('are known to the doctor, who keeps their bytes and finds missing ones', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ada = await visitAs(app, cats)
    await sendPicture(app, cats, ada, { slot: 'logo', parts: pictureParts(await picture()) })
    app.wait(9 * 24 * 60 * 60)
    await doDueJobs(app, cats)
    await assertHealthy(app.app)
    const [key = ''] = await storedKeys(app, cats)
    assert.match(key, /^brand\/\w+\.png$/)
    await onSiteOf(app, cats, ({ storage }) => storage.remove([key]))
    await assert.rejects(assertHealthy(app.app), new RegExp(key))
  })

  test('are refused if they are no picture, too large, too high, forged or sent by a user', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ada = await visitAs(app, cats)
    const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    const refused: [Part[], number, RegExp][] = [
      [pictureParts(drawing), 400, /doesn’t accept SVG files/],
      [pictureParts(Buffer.from('no picture')), 400, /isn’t a picture or video/],
      [pictureParts(Buffer.alloc(4_000_001)), 413, /4 MB/],
      [pictureParts(await picture({ width: 20, height: 41 })), 400, /20 × 41 pixels/],
      [[{ name: 'action', value: 'save' }], 400, /Choose a picture/],
    ]
    for (const [parts, status, message] of refused) {
      const answer = await sendPicture(app, cats, ada, { slot: 'logo', parts })
      assert.equal(answer.status, status, faultIn(answer.text))
      assert.match(faultIn(answer.text), message)
    }
    const good = pictureParts(await picture())
    assert.equal((await sendPicture(app, cats, ada, { slot: 'logo', parts: good, csrf: 'x' })).status, 403)
    assert.equal((await sendPicture(app, cats, ada, { slot: 'other', parts: good })).status, 404)
    await ada.send('/dashboard/users/new', {
      username: 'bob',
      email: 'bob@example.org',
      password: 'another long password',
      role: 'user',
    })
    const bob = await visitAs(app, cats, { login: 'bob', password: 'another long password' })
    assert.equal((await sendPicture(app, cats, bob, { slot: 'logo', parts: good })).status, 403)
    assert.deepEqual(await onSiteOf(app, cats, listBrandPictures), [])
    assert.deepEqual(await storedKeys(app, cats), [])
  })
})
