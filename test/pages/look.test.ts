import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import type { AxeResults } from 'axe-core'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { addressOf, type Shot, shotsOf } from '../screenshots/shots.ts'
import { hostname, startWorld } from '../screenshots/world.ts'
import { startBrowser, type TestBrowser } from '../support/browser.ts'
import { ask, browserHeaders } from '../support/delivered.ts'
import { needing } from '../support/needs.ts'
import { fewInQuick } from '../support/tiers.ts'

const axe = readFileSync(new URL('../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8')

const widths = [390, 1280] as const
const themes = ['light', 'dark'] as const

type Cookie = Awaited<ReturnType<typeof startWorld>>['member']

const browsing = await needing('chromium')
browsing.describe('every page', () => {
  let world: Awaited<ReturnType<typeof startWorld>>
  let browser: TestBrowser
  beforeAll(async () => {
    world = await startWorld()
    browser = await startBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await world?.[Symbol.asyncDispose]()
  })

  test.for(fewInQuick(widths, 1))(
    'is accessible, fits and keeps its policy at %d in both themes',
    { timeout: 1_200_000 },
    async (width) => {
      const found: string[] = []
      const contextOf = contextsOf(browser, world.member, width)
      for (const shot of fewInQuick(shotsOf(world), 12)) {
        const context = await contextOf(shot)
        const tab = await context.newPage()
        const faults = faultsOf(tab, shot)
        await tab.goto(addressOf(shot, world.port), { waitUntil: 'load' })
        await shot.prepare?.(tab)
        for (const colorScheme of themes) {
          await tab.emulateMedia({ colorScheme })
          const contentWidth = await tab.evaluate('document.documentElement.scrollWidth')
          if (contentWidth !== width) faults.push(`${contentWidth} pixels wide`)
          const rules = colorScheme === themes[0] ? undefined : rulesOfColours
          faults.push(...(await axeFaults(tab, rules)).map((fault) => `${colorScheme}: ${fault}`))
        }
        faults.push(...((await tab.evaluate('window.violations')) as string[]))
        found.push(...faults.map((fault) => `${shot.name}: ${fault}`))
        await (shot.prepare ? context : tab).close()
      }
      assert.deepEqual(found, [])
    },
  )

  test('fits a tablet and breaks no word of bars and tables', { timeout: 1_200_000 }, async () => {
    const found: string[] = []
    const width = 768
    const contextOf = contextsOf(browser, world.member, width)
    for (const shot of fewInQuick(shotsOf(world), 12)) {
      const context = await contextOf(shot)
      const tab = await context.newPage()
      tab.setDefaultTimeout(90_000)
      await tab.goto(addressOf(shot, world.port), { waitUntil: 'load' })
      await shot.prepare?.(tab)
      const contentWidth = await tab.evaluate('document.documentElement.scrollWidth')
      if (contentWidth !== width) found.push(`${shot.name}: ${contentWidth} pixels wide`)
      const words = (await tab.evaluate(brokenWords)) as string[]
      found.push(...words.map((word) => `${shot.name}: ${word}`))
      await (shot.prepare ? context : tab).close()
    }
    assert.deepEqual(found, [])
  })

  test('has its headers, and nothing of it is inline', async () => {
    for (const shot of shotsOf(world)) {
      const cookie = shot.isMember ? `${world.member.name}=${world.member.value}` : ''
      const asked = { accept: 'text/html', cookie }
      const { headers, text } = await ask(world, addressOf(shot, world.port), asked)
      const policy = String(headers['content-security-policy'])
      assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self'; /, shot.name)
      assert.match(policy, /; require-trusted-types-for 'script'; trusted-types 'none'$/)
      assert.doesNotMatch(policy, /unsafe|\*|nonce|sha256/)
      assert.match(String(headers['permissions-policy']), /camera=\(\), microphone=\(\)/)
      assert.ok(headers['referrer-policy'])
      assert.doesNotMatch(text, /<style|\sstyle=|\son[a-z]+="|<script>|javascript:/)
      if (shot.name.startsWith('viewer')) assert.ok(Buffer.byteLength(text) <= 24_000, `${text.length} bytes`)
    }
  })
})

/** Pages that are only looked at share a context and what it has loaded. One that is prepared leaves nothing to others. */
function contextsOf(browser: TestBrowser, member: Cookie, width: number) {
  const shared = new Map<string, BrowserContext>()
  const open = async ({ language = 'en', isMember = false }: Shot) => {
    const context = await browser.newContext({
      ...{ viewport: { width, height: 800 }, locale: language },
      ...{ reducedMotion: 'reduce', userAgent: browserHeaders['user-agent'] },
    })
    await context.addInitScript(recordViolations)
    if (isMember) await context.addCookies([{ ...member, domain: hostname, path: '/' }])
    return context
  }
  return async (shot: Shot) => {
    if (shot.prepare) return open(shot)
    const name = `${shot.language} ${shot.isMember}`
    const context = shared.get(name) ?? (await open(shot))
    shared.set(name, context)
    return context
  }
}

/** A page's own 4xx is in the console too. */
function faultsOf(tab: Page, shot: Shot): string[] {
  const faults: string[] = []
  tab.on('console', (message) => {
    const [, status] = /the server responded with a status of (\d+)/.exec(message.text()) ?? []
    const expected = ['401', '403', '404', ...(shot.hasRefusal ? ['400'] : [])]
    if (status === undefined || !expected.includes(status)) faults.push(message.text())
  })
  tab.on('pageerror', (error) => faults.push(`${shot.name}: ${error.message}`))
  // A form that is sent while the icon is still loading ends that request.
  tab.on('requestfailed', (request) => {
    const isEndedIcon =
      /\/mark-\w+\.svg$/.test(request.url()) && request.failure()?.errorText === 'net::ERR_ABORTED'
    if (!isEndedIcon) faults.push(`not loaded: ${request.url()}`)
  })
  return faults
}

const recordViolations = `window.violations = []
document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI, sourceFile, lineNumber }) =>
  window.violations.push([violatedDirective, blockedURI, sourceFile, lineNumber].join(' ')))`

/** Words on two lines. A caption is hidden; texts of people and addresses may be longer than their column. */
const brokenWords = `[...document.querySelectorAll('.top, .select-bar, .table')].flatMap((part) => {
  const texts = document.createTreeWalker(part, NodeFilter.SHOW_TEXT)
  const broken = []
  while (texts.nextNode()) {
    const text = texts.currentNode
    if (text.parentElement.closest('caption, [dir=auto], .mono, code, .breaks, .audit-changes')) continue
    for (const { 0: word, index } of text.data.matchAll(/[^\\s-]+/g)) {
      const range = document.createRange()
      range.setStart(text, index)
      range.setEnd(text, index + word.length)
      if (new Set([...range.getClientRects()].map(({ top }) => Math.round(top))).size > 1) broken.push(word)
    }
  }
  return broken
})`

/** A theme has other colours, and all else in common with the other one. */
const rulesOfColours = ['color-contrast', 'link-in-text-block']

/** What axe finds moderate or worse. */
async function axeFaults(tab: Page, runOnly?: readonly string[]): Promise<string[]> {
  if (!(await tab.evaluate("'axe' in window"))) await tab.evaluate(`${axe}; undefined`)
  const options = JSON.stringify({ resultTypes: ['violations'], runOnly })
  const { violations } = (await tab.evaluate(`axe.run(document, ${options})`)) as AxeResults
  return violations
    .filter(({ impact }) => impact !== 'minor')
    .map(
      ({ id, impact, nodes }) =>
        `axe ${impact} ${id}: ${nodes
          .map(({ html }) => html)
          .slice(0, 3)
          .join(' ')}`,
    )
}
