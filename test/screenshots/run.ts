/** `npm run screenshots [NAME [WIDTH…]]`: every page at four widths in both themes, into build-screenshots/, with an index page. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { launchBrowser } from '../support/browser.ts'
import { browserHeaders } from '../support/delivered.ts'
import { addressOf, isWholePage, type Shot, shotsOf } from './shots.ts'
import { hostname, startWorld } from './world.ts'

const folder = fileURLToPath(new URL('../../build-screenshots/', import.meta.url))
const heights: Readonly<Record<number, number>> = { 390: 844, 768: 1_024, 1280: 800, 1920: 1_080 }
const themes = ['light', 'dark'] as const

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
    ...{ viewport, colorScheme, locale, reducedMotion: 'reduce' },
    // A share shows a program without a window its title alone.
    userAgent: browserHeaders['user-agent'],
  })
  if (shot.isMember) await context.addCookies([{ ...world.member, domain: hostname, path: '/' }])
  const tab = await context.newPage()
  await tab.goto(addressOf(shot, world.port), { waitUntil: 'networkidle' })
  // A picture of the whole page shows what a person would scroll to.
  await tab.evaluate(`Promise.all([...document.images].map((image) => {
    image.loading = 'eager'
    return image.checkVisibility() ? image.decode().catch(() => undefined) : undefined
  }))`)
  await shot.prepare?.(tab)
  await tab.waitForTimeout(100)
  await tab.screenshot({ path: folder + fileOf(shot, width, colorScheme), fullPage: isWholePage(shot) })
  await context.close()
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
