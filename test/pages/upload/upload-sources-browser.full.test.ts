import assert from 'node:assert/strict'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'vitest'
import { ada, startBrowserSite } from '../../support/browsers/browser-site.ts'
import { needing } from '../../support/needs.ts'
import { onSiteOf, picture } from '../../support/uploads.ts'

const browsing = await needing('chromium')
browsing.describe('files of other sources', () => {
  test('a folder is sent with the folders below it, and a picture of the camera on a phone', {
    timeout: 240_000,
  }, async () => {
    await using site = await startBrowserSite()
    const folder = await mkdtemp(join(tmpdir(), 'terrace-folder-'))
    try {
      await mkdir(join(folder, 'below'))
      await writeFile(join(folder, 'one.png'), await picture({ seed: 1 }))
      await writeFile(join(folder, 'below', 'two.png'), await picture({ seed: 2 }))
      const tab = await site.open({ as: ada })
      await tab.goto(site.at('/upload'))
      await tab.getByRole('heading', { name: 'Drop files anywhere' }).waitFor()
      await tab.getByLabel('Folder', { exact: true }).setInputFiles(folder)
      await tab.getByRole('button', { name: 'Copy 2 links' }).waitFor()
      await tab.context().close()
    } finally {
      await rm(folder, { recursive: true, force: true })
    }

    const phone = await site.open({
      as: ada,
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
    })
    await phone.goto(site.at('/upload'))
    const camera = phone.getByLabel('Camera')
    await camera.waitFor({ state: 'attached' })
    assert.equal(await camera.getAttribute('capture'), 'environment')
    const buffer = await picture({ seed: 3, format: 'jpeg' })
    await camera.setInputFiles([{ name: 'image.jpg', mimeType: 'image/jpeg', buffer }])
    await phone.getByRole('button', { name: 'Copy 1 link' }).waitFor()
    const names = await onSiteOf(site.app, site.tenant, ({ db }) =>
      db.selectFrom('file').select('originalName').orderBy('originalName').execute(),
    )
    assert.deepEqual(
      names.map(({ originalName }) => originalName),
      ['image.jpg', 'one.png', 'two.png'],
    )
  })
})
