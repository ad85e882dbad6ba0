/** `npm run screenshots [NAME [WIDTH…]]`: every page at four widths in both themes, into build-screenshots/, with an index page. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { launchBrowser } from '../support/browsers/browser.ts'
import { browserHeaders } from '../support/delivered.ts'
import { addressOf, cookiesOf, isWholePage, type Shot, shotsOf } from './shots.ts'
import { startWorld } from './world.ts'

const folder = fileURLToPath(new URL('../../build-screenshots/', import.meta.url))
const heights: Readonly<Record<number, number>> = { 390: 844, 768: 1_024, 1280: 800, 1920: 1_080 }
const themes = ['light', 'dark'] as const
// Such a grid draws what is seen: below it would be empty.
const hasLongGrid = `(document.querySelector('.placed')?.offsetHeight ?? 0) > innerHeight`

const [, , only, ...widths] = process.argv
await using world = await startWorld()
await using browser = await launchBrowser()
const all = shotsOf(world)
const isName = all.some(({ name }) => name === only)
const shots = all.filter(({ name }) => only === undefined || (isName ? name === only : name.startsWith(only)))
if (only === undefined) await rm(folder, { recursive: true, force: true })
await mkdir(folder, { recursive: true })

for (const width of widths.length > 0 ? widths.map(Number) : Object.keys(heights).map(Number)) {
  for (const colorScheme of themes) {
    for (const shot of shots) await take(shot, width, colorScheme)
  }
}
await writeFile(`${folder}index.html`, indexPage(shots))
console.log(`Written to ${folder}index.html`)

async function take(shot: Shot, width: number, colorScheme: (typeof themes)[number]): Promise<void> {
  const viewport = { width, height: heights[width] ?? 800 }
  const locale = shot.language ?? 'en'
  const context = await browser.newContext({
    viewport,
    colorScheme,
    locale,
    reducedMotion: 'reduce',
    // A share shows a program without a window its title alone.
    userAgent: browserHeaders['user-agent'],
  })
  await context.addCookies(cookiesOf(shot, world.member))
  const tab = await context.newPage()
  await tab.goto(addressOf(shot, world.port), { waitUntil: 'networkidle' })
  await loadPictures(tab)
  await shot.prepare?.(tab)
  // The preparation may have drawn others.
  await loadPictures(tab)
  await tab.waitForTimeout(100)
  const fullPage = isWholePage(shot) && !(await tab.evaluate(hasLongGrid))
  await tab.screenshot({ path: folder + fileOf(shot, width, colorScheme), fullPage })
  await context.close()
}

/** A picture of the whole page shows what a person would scroll to. */
function loadPictures(tab: Page): Promise<unknown> {
  return tab.evaluate(`Promise.all([...document.images].map((image) => {
    image.loading = 'eager'
    return image.checkVisibility() ? image.decode().catch(() => undefined) : undefined
  }))`)
}

function fileOf({ name }: Shot, width: number, theme: string): string {
  return `${name}-${width}-${theme}.png`
}

function indexPage(list: readonly Shot[]): string {
  const rows = list.map((shot) => {
    const pictures = Object.keys(heights).flatMap((width) =>
      themes.map((theme) => {
        const file = fileOf(shot, Number(width), theme)
        return `<a href="${file}"><img src="${file}" alt="${file}" height="260" loading="lazy"></a>`
      }),
    )
    return `<h2>${shot.name}</h2><p>${pictures.join(' ')}</p>`
  })
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>Screenshots</title><h1>Screenshots</h1>${rows.join('\n')}</html>\n`
}
