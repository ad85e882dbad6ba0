import assert from 'node:assert/strict'
import { test } from 'vitest'
import { axeFindings } from '../support/browsers/browser-checks.ts'
import { ada, startBrowserSite } from '../support/browsers/browser-site.ts'
import { ask5, keyOf } from '../support/media.ts'
import { needing } from '../support/needs.ts'
import { until } from '../support/until.ts'
import { picture } from '../support/uploads.ts'

const browsing = await needing('chromium')

const name = '<img src=x onerror=alert(1)>"\'&amp;'

browsing.describe('a letter box', () => {
  test('is made by its owner and filled by a visitor, who may remove a file again', {
    timeout: 180_000,
  }, async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    const key = await keyOf(app, tenant, 'write')
    const album = (
      await ask5(app, tenant, 'POST albums', { key, body: { title: 'Party', privacy: 'private' } })
    ).json
    const owner = await site.open({ as: ada })
    const faults: string[] = []
    owner.on('dialog', (dialog) => faults.push(dialog.message()))
    await owner.goto(site.at(`/album/${album.id}`))
    await owner.getByRole('link', { name: 'Request files' }).click()
    await owner.getByLabel('Message').fill('Your best shots of the party')
    await owner.getByLabel('File limit').fill('3')
    await owner.getByLabel('Name', { exact: true }).fill(name)
    await owner.getByRole('button', { name: 'Copy link' }).click()
    const url = await owner.getByLabel('Link', { exact: true }).inputValue()

    const visitor = await site.open()
    visitor.on('console', (message) => {
      if (/Content Security Policy|TrustedHTML/i.test(message.text())) faults.push(message.text())
    })
    visitor.on('pageerror', (error) => faults.push(error.message))
    await visitor.goto(url)
    const send = visitor.getByRole('button', { name: 'Send' })
    await until(async () => !(await send.isVisible()), 'The queue has taken the form over')
    const file = async (seed: number) => ({
      name: `picture-${seed}.png`,
      mimeType: 'image/png',
      buffer: await picture({ seed }),
    })
    await visitor.getByRole('heading', { level: 1, name: 'ada is asking for photos' }).waitFor()
    await visitor.getByText('Your best shots of the party').waitFor()
    await visitor.getByText(/^3 of 3 files left · until /).waitFor()
    assert.deepEqual(await axeFindings(visitor), [])
    await visitor.getByLabel('Your name').fill('Zoë')
    await visitor.getByLabel('Add photos').setInputFiles([await file(1), await file(2)])
    await until(
      async () => (await visitor.getByText('Sent. Thank you.').count()) === 2,
      'Both files are sent',
    )
    assert.equal(await visitor.getByRole('button', { name: /^Copy/ }).count(), 0)
    await visitor.getByText(/^1 of 3 files left · until /).waitFor()
    const stored = (await ask5(app, tenant, `GET files?album_id=${album.id}`, { key })).json.data
    assert.deepEqual(
      stored.map(({ contributor }: { contributor: string }) => contributor),
      ['Zoë', 'Zoë'],
    )
    // The previews are the files that were chosen.
    assert.equal(await visitor.locator('.queue-picture img[src^="blob:"]').count(), 2)
    await visitor.getByRole('button', { name: 'Remove picture-1.png' }).click()
    await until(async () => (await visitor.getByText('Sent. Thank you.').count()) === 1, 'It is taken back')
    await visitor.getByText(/^2 of 3 files left · until /).waitFor()
    const [left, ...none] = (await ask5(app, tenant, `GET files?album_id=${album.id}`, { key })).json.data
    assert.deepEqual([left.filename, none], ['picture-2.png', []])
    await owner.goto(left.url_viewer)
    await owner.getByText('Sent by').waitFor()
    await owner.getByText('Zoë', { exact: true }).waitFor()
    assert.deepEqual(faults, [])
  })

  test('ends for a page that is open as soon as its owner stops it', async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    const key = await keyOf(app, tenant, 'write')
    const album = (
      await ask5(app, tenant, 'POST albums', { key, body: { title: 'Party', privacy: 'private' } })
    ).json
    const body = { name, allow_upload: true, allow_download: false, max_uploads: 3 }
    const share = (await ask5(app, tenant, `POST albums/${album.id}/shares`, { key, body })).json
    const visitor = await site.open()
    await visitor.goto(site.at(new URL(share.url).pathname))
    await visitor.getByText(/^3 of 3 files left · until /).waitFor()

    const owner = await site.open({ as: ada })
    await owner.goto(site.at(`/album/${album.id}/request`))
    await owner.getByText(/^Upload only ·/).waitFor()
    await owner.getByRole('button', { name: `Stop sharing ${name}` }).click()
    await until(
      async () => (await owner.getByRole('list', { name: 'Requests' }).count()) === 0,
      'The share is gone',
    )
    const file = { name: 'late.png', mimeType: 'image/png', buffer: await picture({ seed: 3 }) }
    await visitor.getByLabel('Add photos').setInputFiles(file)
    await visitor.getByText('Its owner has stopped sharing.').waitFor()
    assert.equal((await visitor.reload())?.status(), 410)
  })

  test('says that it is full as soon as it is, and takes files again after Remove', async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    const key = await keyOf(app, tenant, 'write')
    const album = (await ask5(app, tenant, 'POST albums', { key, body: { title: 'Party' } })).json
    // Its page has the files too.
    const body = { allow_upload: true, max_uploads: 1 }
    const share = (await ask5(app, tenant, `POST albums/${album.id}/shares`, { key, body })).json
    const visitor = await site.open({ locale: 'de-DE' })
    await visitor.goto(site.at(new URL(share.url).pathname))
    await visitor.getByText(/^Noch 1 von 1 /).waitFor()
    const file = { name: 'one.png', mimeType: 'image/png', buffer: await picture({ seed: 5 }) }
    const add = visitor.getByLabel('Fotos hinzufügen')
    await add.setInputFiles(file)
    await visitor.getByText('Diese Sammlung ist voll.').waitFor()
    await add.waitFor({ state: 'hidden' })
    await visitor.getByRole('button', { name: 'one.png entfernen' }).click()
    await visitor.getByText(/^Noch 1 von 1 /).waitFor()
    await add.waitFor()
    // Asking what is left is no view of the album.
    assert.equal((await ask5(app, tenant, `GET shares/${share.id}`, { key })).json.views, 1)
  })

  test('takes a file without script, and gives it back', async () => {
    await using site = await startBrowserSite()
    const { app, tenant } = site
    const key = await keyOf(app, tenant, 'write')
    const album = (await ask5(app, tenant, 'POST albums', { key, body: { title: 'Party' } })).json
    const body = { allow_upload: true, allow_download: false, max_uploads: 1 }
    const share = (await ask5(app, tenant, `POST albums/${album.id}/shares`, { key, body })).json
    const visitor = await site.open({ javaScriptEnabled: false, viewport: { width: 390, height: 844 } })
    await visitor.goto(site.at(new URL(share.url).pathname))
    const [button, zone] = await Promise.all(
      ['.drop-zone .button', '.drop-zone'].map((part) => visitor.locator(part).boundingBox()),
    )
    assert.ok(button && zone && button.x + button.width < zone.x + zone.width && zone.width < 360)
    const file = { name: 'one.png', mimeType: 'image/png', buffer: await picture({ seed: 4 }) }
    await visitor.getByLabel('Add photos').setInputFiles(file)
    await visitor.getByRole('button', { name: 'Send' }).click()
    await visitor.getByText('Your file was sent. Thank you.').waitFor()
    // It takes no second one.
    assert.equal(await visitor.getByLabel('Add photos').count(), 0)
    const uploads = async () => (await ask5(app, tenant, `GET shares/${share.id}`, { key })).json.uploads
    assert.equal(await uploads(), 1)
    const seen = await site.open({ storageState: await visitor.context().storageState() })
    await seen.goto(visitor.url())
    await seen.getByRole('button', { name: 'Remove one.png' }).waitFor()
    assert.deepEqual(await axeFindings(seen), [])
    // The page of another browser has no right to it.
    const other = await site.open({ javaScriptEnabled: false })
    await other.goto(visitor.url())
    await other.getByText('This collection is full.').waitFor()
    assert.equal(await other.getByRole('button', { name: /^Remove/ }).count(), 0)
    await visitor.getByRole('button', { name: 'Remove one.png' }).click()
    await visitor.getByText('The file was removed.').waitFor()
    assert.equal(await uploads(), 0)
    assert.equal(await visitor.getByRole('button', { name: /^Remove/ }).count(), 0)
    await visitor.getByLabel('Add photos').waitFor()
  })
})
