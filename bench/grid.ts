import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, chromium, type Page } from 'playwright-core'
import sharp from 'sharp'
import { type App, openApp } from '../src/app.ts'
import { readConfig } from '../src/config.ts'
import { insertSiteRows } from '../src/db/index.ts'
import { changeSetting, changingSite } from '../src/site/index.ts'
import { createTenant, installTenant, openSite, readTenant } from '../src/tenants/index.ts'
import { browserPath } from '../test/support/needs.ts'
import { rowOf } from './file-row.ts'
import { median, print, ratioLine } from './report.ts'
import { startChild } from './servers/child.ts'

const counts = [1_000, 10_000, 100_000] as const
const rounds = 5
const frames = 120
const mostTiles = 150

/** CPU of all renderers for each frame while a list is scrolled: with 10,000 and 100,000 files against 1,000. */
export async function benchGrid(): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'terrace-bench-grid-'))
  const listen = `127.0.0.1:${20_000 + Math.floor(Math.random() * 12_000)}`
  const settings = { SERVICE_DATA_DIR: dataDir, SERVICE_LISTEN: listen, SERVICE_LOG_LEVEL: 'error' }
  try {
    await using app = await openApp(readConfig(settings, '/'))
    for (const count of counts) await seed(app, count)
    await using server = await startChild('./terrace.ts', settings)
    await using browser = await chromium.launch({
      executablePath: browserPath,
      args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP *.test 127.0.0.1'],
    })
    const tabs: Page[] = []
    for (const count of counts) tabs.push(await openTab(browser, count, server.port))
    await measure(browser, tabs)
  } finally {
    await rm(dataDir, { recursive: true, force: true })
  }
}

const hostnameOf = (count: number) => `files-${count}.test`

const widths = [400, 600, 900, 1_200, 1_400, 1_680, 360]
const batch = 500

async function seed(app: App, count: number): Promise<void> {
  const [id, hostname] = [`files-${count}`, hostnameOf(count)]
  const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
  await createTenant(app.control, { id, hostname, isEnabled: true })
  await installTenant(app.control, id, account)
  await using site = await openSite(app.control, await readTenant(app.control, id))
  await changeSetting(changingSite(site), 'listing', 'public')
  const { id: userId } = await site.db.selectFrom('user').select('id').executeTakeFirstOrThrow()
  for (let from = 0; from < count; from += batch) {
    const rows = Array.from({ length: batch }, (_, index) => ({
      ...rowOf(from + index, userId),
      width: widths[(from + index) % widths.length] ?? 800,
      height: 800,
    }))
    await insertSiteRows(site.db, 'file', rows)
  }
}

async function openTab(browser: Browser, count: number, port: number): Promise<Page> {
  const tab = await browser.newPage({ viewport: { width: 1280, height: 800 } })
  const picture = sharp({ create: { width: 500, height: 333, channels: 3, background: '#5c87a0' } })
  const body = await picture.jpeg().toBuffer()
  // The rows have no bytes of their own.
  await tab.route('**/images/**', (route) => route.fulfill({ body, contentType: 'image/jpeg' }))
  await tab.goto(`http://${hostnameOf(count)}:${port}/explore`)
  await tab.locator('.tiles.placed').waitFor()
  await tab.evaluate(isWhole(count))
  return tab
}

/** Asks in the page itself: the page's policy refuses the script by which Playwright asks again and again. */
const isWhole = (count: number) => `(async () => {
  while (document.querySelector('.tiles').offsetHeight <= ${count * 20}) await new Promise(requestAnimationFrame)
})()`

async function measure(browser: Browser, tabs: readonly Page[]): Promise<void> {
  const layouts: number[] = []
  for (const tab of tabs) {
    await tab.bringToFront()
    layouts.push(Number(await tab.evaluate(layOut)))
  }
  const system = await browser.newBrowserCDPSession()
  const cpuSeconds = async () => {
    const { processInfo } = await system.send('SystemInfo.getProcessInfo')
    return processInfo
      .filter(({ type }) => type === 'renderer')
      .reduce((sum, { cpuTime }) => sum + cpuTime, 0)
  }
  const spent = counts.map(() => [] as number[])
  let alive = 0
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, tab] of tabs.entries()) {
      await tab.bringToFront()
      const before = await cpuSeconds()
      await tab.evaluate(scrollFrames(round))
      spent[at]?.push((((await cpuSeconds()) - before) * 1_000) / frames)
      alive = Math.max(alive, Number(await tab.evaluate("document.querySelectorAll('.tiles .tile').length")))
    }
  }
  const [small = 0, ...larger] = spent.map(median)
  const [, ten = 0] = layouts
  print('Grid of files, CPU of all renderers while it is scrolled', [
    { what: 'a frame with 1000 files', measured: `${small.toFixed(1)} ms` },
    ...larger.map((each, at) => ratioLine(`a frame with ${counts[at + 1]} files`, each / small, 1.5)),
    {
      what: 'layout of 10000 files, with the wait for its frame',
      measured: `${ten.toFixed(1)} ms`,
      reach: '<= 10 ms',
      isReached: ten <= 10,
    },
    {
      what: 'most tiles alive',
      measured: String(alive),
      reach: `<= ${mostTiles}`,
      isReached: alive > 0 && alive <= mostTiles,
    },
  ])
}

/** From another place in each round, so that no round shows what an earlier one has read. */
const scrollFrames = (round: number) => `(async () => {
  const list = document.querySelector('.tiles')
  let top = (list.offsetHeight / ${rounds + 1}) * ${round}
  for (let frame = 0; frame < ${frames}; frame += 1) {
    scrollTo(0, top += 60)
    await new Promise(requestAnimationFrame)
  }
})()`

/** The time of a new layout, which a new width causes, without the wait for the frame before it. */
const layOut = `(async () => {
  const list = document.querySelector('.tiles')
  const frame = () => new Promise(requestAnimationFrame)
  const times = []
  for (const width of [1_100, 1_000, 900, 1_050]) {
    await frame()
    list.style.width = width + 'px'
    const from = performance.now()
    // Observers of a size run before the frame is drawn, and a message after it.
    await frame()
    await new Promise((resolve) => setTimeout(resolve))
    times.push(performance.now() - from)
  }
  list.style.width = ''
  return Math.min(...times)
})()`
