import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ada, startBrowserSite } from '../support/browsers/browser-site.ts'
import { needing } from '../support/needs.ts'
import { picture } from '../support/uploads.ts'

const browsing = await needing('chromium')
browsing.describe('the branding of a site', () => {
  test.for([true, false])(
    'a logo is uploaded, stands on top of every page in its theme, and is removed (script: %s)',
    {
      timeout: 240_000,
    },
    async (javaScriptEnabled) => {
      await using site = await startBrowserSite()
      const tab = await site.open({ as: ada, javaScriptEnabled, colorScheme: 'dark' })
      const violations: string[] = []
      tab.on('console', (message) => violations.push(message.text()))
      await tab.goto(site.at('/dashboard/branding'))
      const logoOf = async (slot: string, seed: number) => {
        const form = tab.getByRole('form', { name: slot, exact: true })
        const buffer = await picture({ seed, width: 300, height: 60 })
        await form.getByLabel('Picture').setInputFiles([{ name: 'a.png', mimeType: 'image/png', buffer }])
        await form.getByRole('button', { name: 'Upload' }).click()
        await form.getByRole('img', { name: slot, exact: true }).waitFor()
      }
      await logoOf('Logo', 1)
      await logoOf('Logo for the dark theme', 2)
      await tab.goto(site.at('/settings'))
      const logo = tab.locator('.brand img')
      await logo.waitFor()
      assert.equal(await logo.getAttribute('alt'), site.tenant.hostname)
      const shown = (await tab.evaluate(`document.querySelector('.brand img').currentSrc`)) as string
      const [dark = ''] = (await tab.locator('.brand source').getAttribute('srcset'))?.split(' ') ?? []
      assert.ok(dark !== '' && shown.endsWith(dark), shown)
      await tab.goto(site.at('/dashboard/branding'))
      for (const slot of ['Logo for the dark theme', 'Logo']) {
        const form = tab.getByRole('form', { name: slot, exact: true })
        await form.getByRole('button', { name: 'Remove' }).click()
        await form.getByText('None yet.').waitFor()
      }
      await tab.locator('.brand .mark').waitFor()
      assert.deepEqual(violations, [])
    },
  )
})
