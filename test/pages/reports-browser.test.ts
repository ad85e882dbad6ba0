import assert from 'node:assert/strict'
import { afterAll, beforeAll, test } from 'vitest'
import { axeFindings } from '../support/browsers/browser-checks.ts'
import { ada, type BrowserSite, faultsOf, startBrowserSite } from '../support/browsers/browser-site.ts'
import { needing } from '../support/needs.ts'
import { set, uploaded } from '../support/uploads.ts'

const browsing = await needing('chromium')
browsing.describe('reports in a browser', () => {
  let site: BrowserSite
  beforeAll(async () => {
    site = await startBrowserSite()
    await set(site.app, site.tenant, { report_hide: '1' })
  })
  afterAll(async () => site?.[Symbol.asyncDispose]())

  test('a guest without script reports a file, which is gone until the staff keeps it', async () => {
    const { url_viewer: address } = await uploaded(site.app, site.tenant, { fields: { title: 'Mia' } })
    const path = new URL(address).pathname
    const guest = await site.open({ javaScriptEnabled: false })
    await guest.goto(site.at(path))
    await guest.getByRole('link', { name: 'Report this file' }).click()
    await guest.getByLabel('What’s wrong?').selectOption('Sexual content')
    await guest.getByLabel('Details').fill('"><img src=x onerror=alert(1)>')
    await guest.getByRole('button', { name: 'Send report' }).click()
    await guest.getByRole('heading', { name: 'Thank you' }).waitFor()
    assert.equal((await guest.goto(site.at(path)))?.status(), 404)

    const staff = await site.open({ as: ada, viewport: { width: 390, height: 800 } })
    const faults = faultsOf(staff)
    await staff.goto(site.at('/dashboard'))
    await staff.getByRole('link', { name: '1 file was reported' }).click()
    await staff.getByText('"><img src=x onerror=alert(1)>').waitFor()
    faults.push(...(await axeFindings(staff)))
    assert.equal(await staff.evaluate('document.documentElement.scrollWidth'), 390)
    await staff.getByRole('button', { name: 'Keep: Mia' }).focus()
    await staff.keyboard.press('Enter')
    await staff.getByText('1 file kept.').waitFor()
    await staff.getByRole('heading', { name: 'No reports' }).waitFor()
    assert.equal((await guest.goto(site.at(path)))?.status(), 200)
    assert.deepEqual(faults, [])
  })

  test('the form names what is missing, and is accessible', async () => {
    const { url_viewer: address } = await uploaded(site.app, site.tenant, { fields: { title: 'Tom' } })
    const guest = await site.open({ viewport: { width: 390, height: 800 } })
    const faults = faultsOf(guest)
    await guest.goto(site.at(`${new URL(address).pathname}/report`))
    faults.push(...(await axeFindings(guest)))
    await guest.getByLabel('What’s wrong?').selectOption('Something else')
    // The answer is a page with status 400, which Chromium tells in the console.
    assert.deepEqual(faults, [])
    await guest.getByRole('button', { name: 'Send report' }).click()
    await guest.getByRole('alert').getByText('Tell us what’s wrong').waitFor()
    assert.equal(await guest.getByLabel('What’s wrong?').inputValue(), 'other')
    assert.equal(await guest.evaluate('document.documentElement.scrollWidth'), 390)
  })
})
