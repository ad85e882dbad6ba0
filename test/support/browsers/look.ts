import assert from 'node:assert/strict'
import type { BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll, test } from 'vitest'
import { addressOf, cookiesOf, type Shot, type ShotGroup, shotGroups } from '../../screenshots/shots.ts'
import { startWorld } from '../../screenshots/world.ts'
import { browserHeaders } from '../delivered.ts'
import { needing } from '../needs.ts'
import { sharedDecoders } from '../run/shared-decoders.ts'
import { startBrowser, type TestBrowser } from './browser.ts'
import { axeFindings } from './browser-checks.ts'

const [phone, tablet, screen] = [390, 768, 1280] as const
const themes = ['light', 'dark'] as const

type World = Awaited<ReturnType<typeof startWorld>>
type Cookie = World['member']

interface Reach {
  /** Of the pages that nothing is done to first: that is found by its English words. */
  languages?: readonly string[]
  widths?: readonly number[]
}

/** Looks at every page of a group, at three widths. The groups are in files of their own, so that several workers share them. */
export async function lookAtEvery(
  group: ShotGroup,
  { languages = ['en'], widths = [tablet] }: Reach = {},
): Promise<void> {
  const browsing = await needing('chromium')
  browsing.describe(`every page of the group ${group}`, () => {
    let world: World
    let browser: TestBrowser
    beforeAll(async () => {
      world = await startWorld({ decoders: sharedDecoders() })
      browser = await startBrowser()
    })
    afterAll(async () => {
      await browser?.close()
      await world?.[Symbol.asyncDispose]()
    })

    test.for([phone, screen])(
      'is accessible, fits and keeps its policy at %d in both themes',
      { timeout: 1_200_000 },
      async (width) => {
        const found: string[] = []
        const contextOf = contextsOf(browser, world.member, width)
        for (const shot of shotGroups(world)[group]) {
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
            faults.push(...(await axeFindings(tab, rules)).map((fault) => `${colorScheme}: ${fault}`))
          }
          faults.push(...((await tab.evaluate(cutOff)) as string[]))
          faults.push(...((await tab.evaluate('window.violations')) as string[]))
          found.push(...faults.map((fault) => `${shot.name}: ${fault}`))
          await (shot.prepare ? context : tab).close()
        }
        assert.deepEqual(found, [])
      },
    )

    test.for(languages)(
      'fits a tablet and other widths in %s, and breaks no word of bars and tables',
      { timeout: 1_200_000 },
      async (language) => {
        const found: string[] = []
        const contextOf = contextsOf(browser, world.member, tablet)
        for (const each of shotGroups(world)[group]) {
          const shot = each.prepare ? each : { ...each, language: each.language ?? language }
          const context = await contextOf(shot)
          const tab = await context.newPage()
          await tab.goto(addressOf(shot, world.port), { waitUntil: 'load' })
          await shot.prepare?.(tab)
          for (const width of widths)
            found.push(...(await layoutFaults(tab, width)).map((fault) => `${shot.name}: ${fault}`))
          await (shot.prepare ? context : tab).close()
        }
        assert.deepEqual(found, [])
      },
    )
  })
}

/** What does not fit at this width. */
export async function layoutFaults(tab: Page, width: number): Promise<string[]> {
  await tab.setViewportSize({ width, height: 800 })
  const contentWidth = await tab.evaluate('document.documentElement.scrollWidth')
  const tooWide = contentWidth === width ? [] : [`${contentWidth} of ${width} pixels wide`]
  const rules = width === tablet ? [brokenWords, cutOff, clipped] : [cutOff, tooSmall, clipped]
  const faults = await Promise.all(rules.map((rule) => tab.evaluate(rule) as Promise<string[]>))
  return [...tooWide, ...faults.flat()].map((fault) => `at ${width}: ${fault}`)
}

/** Pages that are only looked at share a context and what it has loaded. One that is prepared leaves nothing to others. */
function contextsOf(browser: TestBrowser, member: Cookie, width: number) {
  const shared = new Map<string, BrowserContext>()
  const open = async (shot: Shot) => {
    const context = await browser.newContext({
      viewport: { width, height: 800 },
      locale: shot.language ?? 'en',
      reducedMotion: 'reduce',
      userAgent: browserHeaders['user-agent'],
    })
    await context.addInitScript(recordViolations)
    await context.addCookies(cookiesOf(shot, member))
    return context
  }
  return async (shot: Shot) => {
    if (shot.prepare) return open(shot)
    const name = `${shot.language} ${shot.isMember} ${shot.cookie?.value}`
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
    const expected = ['401', '403', '404', '410', ...(shot.hasRefusal ? ['400'] : [])]
    if (status === undefined || !expected.includes(status)) faults.push(message.text())
  })
  tab.on('pageerror', (error) => faults.push(`${shot.name}: ${error.message}`))
  // A page that is left or closed ends the requests of its icon, and of pictures in sizes that are still being made.
  tab.on('requestfailed', (request) => {
    const isEnded = request.failure()?.errorText === 'net::ERR_ABORTED'
    const mayEnd = /\/mark-\w+\.svg$|\/images\/[^?]+\?/.test(request.url())
    if (!isEnded || !mayEnd) faults.push(`not loaded: ${request.url()}`)
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

/** Titles and controls that reach beyond the window, where nothing scrolls to them, and buttons that their text leaves. */
const cutOff = `[...document.querySelectorAll('h1, a, button, input, select, textarea, summary')].flatMap((part) => {
  if (!part.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) return []
  const { left, right, width } = part.getBoundingClientRect()
  const scrolls = (box) => box && (/auto|scroll/.test(getComputedStyle(box).overflowX) || scrolls(box.parentElement))
  const isOutside = (left < -1 || right > innerWidth + 1) && !scrolls(part.parentElement)
  const isLeft = part.matches('.button') && part.scrollWidth > part.clientWidth + 1
  const name = part.ariaLabel || part.textContent.trim() || part.name
  return isOutside || isLeft || width === 0 ? [\`cut off: \${name}\`] : []
})`

/** Texts that end at the edge of their box, but for those that say so with dots, and those that only screen readers have. */
const clipped = `[...document.querySelectorAll('main *, .console-rail *')].flatMap((part) => {
  const { overflowX, textOverflow, webkitLineClamp, clipPath, display } = getComputedStyle(part)
  const isMeant = textOverflow === 'ellipsis' || webkitLineClamp !== 'none' || clipPath !== 'none' || display === 'inline'
  const isHidden = !/hidden|clip/.test(overflowX) || part.matches('input, select, svg, svg *, canvas')
  if (isHidden || isMeant || !part.checkVisibility()) return []
  return part.scrollWidth > part.clientWidth + 1 ? [\`clipped: \${part.textContent.trim().slice(0, 60)}\`] : []
})`

/**
 * Controls that are hard to hit: lower than 24 pixels, on a phone than 40. A box counts with its label, and links in
 * texts and lists are as high as their line.
 */
const tooSmall = `[...document.querySelectorAll('button, .button, input, select, textarea, summary, .chip[href]')].flatMap((part) => {
  if (!part.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) return []
  const { width, height } = (part.matches('[type=checkbox], [type=radio]') && part.closest('label') || part).getBoundingClientRect()
  const least = innerWidth < 768 ? 40 : 24
  const isSmall = width > 1 && height > 1 && (width < 23.5 || height < least - 0.5)
  const name = part.ariaLabel || part.textContent.trim() || part.name
  return isSmall ? [\`too small: \${name}, \${Math.round(width)} × \${Math.round(height)}\`] : []
})`

/** A theme has other colours, and all else in common with the other one. */
const rulesOfColours = ['color-contrast', 'link-in-text-block']
