import assert from 'node:assert/strict'
import sharp from 'sharp'
import { test } from 'vitest'
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

onEachStore('logo and icon of a site', (store) => {
  test('are encoded anew, on every page, kept for good by their address, replaced and removed', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ada = await visitAs(app, cats)
    const withExif = await sharp(await picture({ width: 900, height: 300 }))
      .withExif({ IFD0: { Copyright: 'SECRET-MARK' } })
      .png()
      .toBuffer()
    assert.ok(withExif.includes('SECRET-MARK'))
    const saved = await sendPicture(app, cats, ada, { slot: 'logo', parts: pictureParts(withExif) })
    assert.equal(saved.status, 303, faultIn(saved.text))
    await sendPicture(app, cats, ada, {
      slot: 'logo-dark',
      parts: pictureParts(await picture({ width: 60, height: 20, seed: 1, format: 'jpeg' })),
    })
    await sendPicture(app, cats, ada, {
      slot: 'icon',
      parts: pictureParts(await picture({ width: 64, height: 40, seed: 2, format: 'webp' })),
    })
    const { text } = await askPage(app, cats, 'GET /login')
    const [light = ''] = /(?<=<img class="logo" src=")[^"]+/.exec(text) ?? []
    const [dark = ''] = /(?<=srcset=")\/-\/brand[^"]+/.exec(text) ?? []
    const [icon = ''] =
      /(?<=<link rel="icon" type="image\/webp" sizes="320x320" href=")[^"]+/.exec(text) ?? []
    const at = (path: string) => ask(app, `http://${cats.hostname}${path}`)
    const sent = await at(light)
    assert.deepEqual(
      [sent.status, sent.headers['content-type'], sent.headers['cache-control']],
      [200, 'image/png', 'public, max-age=31536000, immutable'],
    )
    assert.equal(sent.headers['x-content-type-options'], 'nosniff')
    assert.ok(!sent.bytes.includes('SECRET-MARK'))
    const { width, height } = await sharp(sent.bytes).metadata()
    assert.deepEqual([width, height], [500, 167])
    assert.deepEqual([(await at(dark)).headers['content-type'], (await at(icon)).status], ['image/jpeg', 200])
    assert.equal((await askPage(app, cats, 'GET /favicon.ico')).headers.location, icon)
    const manifest = (await askPage(app, cats, 'GET /manifest.webmanifest')).json
    assert.deepEqual(manifest.icons, [{ src: icon, type: 'image/webp', sizes: '320x320' }])

    await sendPicture(app, cats, ada, {
      slot: 'logo',
      parts: pictureParts(await picture({ width: 90, height: 30, seed: 9 })),
    })
    assert.equal((await at(light)).status, 404)
    assert.equal((await storedKeys(app, cats)).length, 3)
    for (const slot of ['logo', 'logo-dark', 'icon']) {
      const removed = await sendPicture(app, cats, ada, {
        slot,
        parts: [{ name: 'action', value: 'remove' }],
      })
      assert.equal(removed.status, 303)
    }
    assert.deepEqual(await storedKeys(app, cats), [])
    assert.match((await askPage(app, cats, 'GET /login')).text, /<svg class="mark"/)
    assert.match(String((await askPage(app, cats, 'GET /favicon.ico')).headers.location), /mark-\w+\.svg/)
    const key = await keyOf(app, cats, 'admin')
    const log = await walk(app, cats, 'GET audit?verb=setting.changed', { key })
    const told = log.filter(({ actor }) => actor.kind === 'user').toReversed()
    const slots = ['logo', 'logo-dark', 'icon']
    assert.deepEqual(
      told.map(({ target }) => target),
      [...slots, 'logo', ...slots],
    )
    assert.deepEqual([told[3].before.width, told[3].after.width, told[4].after], [500, 90, {}])
  })

  test('are known to the doctor: their bytes are no orphans, and are missed', async () => {
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

  test('what is no picture, too large, too high, forged or of a user is refused and changes nothing', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ada = await visitAs(app, cats)
    const drawing = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>')
    const refused: [Part[], number, RegExp][] = [
      [pictureParts(drawing), 400, /does not accept files of this type/],
      [pictureParts(Buffer.from('no picture')), 400, /not a picture or video/],
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
