import assert from 'node:assert/strict'
import { pagePolicy } from '../../src/ui/headers.ts'
import { startBrowser } from '../support/browsers/browser.ts'
import { startTestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'

const browsing = await needing('chromium')

browsing.test(
  'in a browser the page of the API fits a telephone, is led by keyboard and has no faults',
  async () => {
    await using app = await startTestApp()
    await using browser = await startBrowser()
    const tab = await browser.newPage({ viewport: { width: 390, height: 800 } })
    const faults: string[] = []
    tab.on('console', (message) => faults.push(message.text()))
    tab.on('pageerror', (error) => faults.push(error.message))
    const answer = await tab.goto(`http://127.0.0.1:${app.port}/_/docs`)
    assert.equal(answer?.headers()['content-security-policy'], pagePolicy)

    await tab.keyboard.press('Tab')
    assert.equal(await tab.locator(':focus').textContent(), 'Skip to content')
    await tab.keyboard.press('Enter')
    await tab.keyboard.press('Tab')
    assert.ok((await tab.locator('main :focus').count()) === 1)

    assert.equal(await tab.locator('nav a').first().isVisible(), false)
    await tab.locator('nav summary').click()
    await tab.evaluate('for (const each of document.querySelectorAll("details")) each.open = true')
    assert.ok(await tab.locator('nav a').first().isVisible())
    assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), 390)

    await tab.setViewportSize({ width: 1280, height: 800 })
    await tab.reload()
    assert.ok(await tab.locator('nav a').first().isVisible())
    assert.equal(await tab.evaluate('document.documentElement.scrollWidth'), 1280)
    assert.deepEqual(faults, [])
  },
)
