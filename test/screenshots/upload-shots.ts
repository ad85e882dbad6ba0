import type { Page } from 'playwright-core'
import { draw } from './draw.ts'
import type { Shot } from './shots.ts'
import { membersHostname } from './world.ts'

/** The upload page in its states. */
export const uploadShots: Shot[] = [
  { name: 'upload', path: '/upload', isMember: true },
  { name: 'upload-queue', path: '/upload', isMember: true, hasRefusal: true, prepare: showMixedQueue },
  { name: 'upload-done', path: '/upload', isMember: true, prepare: showDone },
  { name: 'upload-dock', path: '/explore', isMember: true, prepare: showDock },
  { name: 'upload-guest', path: '/upload' },
  { name: 'mine-guest', path: '/mine' },
  { name: 'home-members', path: '/', host: membersHostname },
  { name: 'upload-german', path: '/upload', isMember: true, language: 'de' },
]

const pictures = [
  ['IMG_4021.jpg', '#e9a97e'],
  ['harbour-at-dusk.jpg', '#e0875c'],
  ['old scan 14.jpg', '#c9788f'],
  ['quay.jpg', '#8fb0a0'],
] as const

const drawn = (count: number) =>
  Promise.all(
    pictures.slice(0, count).map(async ([name, colour], index) => ({
      name,
      mimeType: 'image/jpeg',
      buffer: await draw({ name, width: 1_600 + index, height: 1_000, colour }),
    })),
  )

const choose = async (tab: Page, ...files: Parameters<ReturnType<Page['locator']>['setInputFiles']>) =>
  tab
    .locator('input[type=file]')
    .first()
    .setInputFiles(...files)

/** Two stored, one refused, two on their way: their requests are not answered. */
async function showMixedQueue(tab: Page): Promise<void> {
  const [first, second, third, fourth] = await drawn(4)
  if (!first || !second || !third || !fourth) return
  const text = { name: 'notes.txt', mimeType: 'text/plain', buffer: Buffer.from('no picture') }
  await choose(tab, [first, second, text])
  await tab.locator('.queue-row.is-done').nth(1).waitFor()
  await tab.locator('.queue-row.is-refused').waitFor()
  await tab.route('**/-/files?**', () => undefined)
  await choose(tab, [third, fourth])
  await tab.locator('.queue-row.is-sending').nth(1).waitFor()
}

async function showDone(tab: Page): Promise<void> {
  await choose(tab, await drawn(3))
  await tab.locator('.queue-row.is-done').nth(2).waitFor()
}

/** Dropped on a page that is about something else. */
async function showDock(tab: Page): Promise<void> {
  const [file] = await drawn(1)
  const bytes = file?.buffer.toString('base64') ?? ''
  await tab.evaluate(`(() => {
    const bytes = Uint8Array.from(atob('${bytes}'), (each) => each.charCodeAt(0))
    const dataTransfer = new DataTransfer()
    dataTransfer.items.add(new File([bytes], 'dropped.jpg', { type: 'image/jpeg' }))
    document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }))
  })()`)
  await tab.locator('.dock .is-done').waitFor()
}
