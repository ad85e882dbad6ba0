import { chromium, type Page } from 'playwright-core'
import sharp from 'sharp'
import { startTestApp, type TestApp } from '../test/support/harness.ts'
import { manyFiles } from '../test/support/many-files.ts'
import { browserPath } from '../test/support/needs.ts'
import { set } from '../test/support/uploads.ts'
import { median, print, ratioLine } from './report.ts'

const counts = [1_000, 10_000, 100_000] as const
const rounds = 5
const frames = 120

/** CPU of all renderers for each frame while a list is scrolled: with 10,000 and 100,000 files against 1,000. */
export async function benchGrid(): Promise<void> {
  await using app = await startTestApp()
  await using browser = await chromium.launch({
    executablePath: browserPath,
    args: ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP *.test 127.0.0.1'],
  })
  const picture = await sharp({ create: { width: 500, height: 333, channels: 3, background: '#5c87a0' } })
    .jpeg()
    .toBuffer()
  const tabs: Page[] = []
  const layouts: number[] = []
  for (const count of counts) {
    const address = await seed(app, count)
    const tab = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    // The rows have no bytes of their own.
    await tab.route('**/images/**', (route) => route.fulfill({ body: picture, contentType: 'image/jpeg' }))
    await tab.goto(address)
    await tab.locator('.tiles.placed').waitFor()
    await tab.waitForFunction(`document.querySelector('.tiles').offsetHeight > ${count * 20}`)
    tabs.push(tab)
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
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, tab] of tabs.entries()) {
      await tab.bringToFront()
      const before = await cpuSeconds()
      await tab.evaluate(scrollFrames(round))
      spent[at]?.push((((await cpuSeconds()) - before) * 1_000) / frames)
    }
  }
  const [small = 0, ...larger] = spent.map(median)
  const [, ten = 0] = layouts
  print('Grid of files, CPU of all renderers while it is scrolled', [
    { what: 'a frame with 1,000 files', measured: `${small.toFixed(1)} ms` },
    ratioLine('a frame with 10,000 files', (larger[0] ?? 0) / small, 1.5),
    ratioLine('a frame with 100,000 files', (larger[1] ?? 0) / small, 1.5),
    {
      ...{ what: 'layout of 10,000 files', measured: `${ten.toFixed(1)} ms` },
      ...{ reach: '<= 10 ms', isReached: ten <= 10 },
    },
  ])
}

async function seed(app: TestApp, count: number): Promise<string> {
  const tenant = await app.tenant(`files-${count}`)
  await set(app, tenant, { listing: 'public' })
  await manyFiles(app, tenant, count)
  return `http://${tenant.hostname}:${app.port}/explore`
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
