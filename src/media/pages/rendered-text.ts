import { hash } from 'node:crypto'
import { once } from 'node:events'
import { Worker } from 'node:worker_threads'
import { FairSlots } from '../../lib/concurrency/fair-slots.ts'
import { faultOf } from '../../lib/faults.ts'
import { type Html, html } from '../../lib/html.ts'
import { LruMap } from '../../lib/lru.ts'
import { invalidFields, Refusal } from '../../lib/refusal.ts'
import type { Site } from '../../site/index.ts'

/** CPU of one text. Ordinary ones of 64 kB take a fifth of it on a slow machine, 64 kB of `![` twice as much on a fast one. */
const mostCpuMs = 125
const checkMs = 20
const mostMarkupBytes = 2_097_152

/** Stands for the name of a table, which depends on the reader's language. No rendered text has another NUL. */
export const tableMark = '\0'

/** What an administrator has written, as markup: rendered once, in a thread. Throws `textTooComplex`. */
export async function renderedText(site: Site, text: string, table: string): Promise<Html> {
  const markup = await markupOf(site, text)
  if (markup === undefined) throw textTooComplex()
  return { markup: markup.replaceAll(tableMark, () => html`${table}`.markup) }
}

/** Refuses a text that takes too long to render, before it is saved. */
export async function checkText(site: Site, text: string | undefined): Promise<void> {
  if (text !== undefined && (await markupOf(site, text)) === undefined) throw textTooComplex()
}

/** Some 64 MB: 32 of the longest texts, or thousands of ordinary ones. */
const mostKept = 33_554_432
const kept = new LruMap<string, { markup: string | undefined }>(Number.POSITIVE_INFINITY)
let keptSize = 0
const sizeOf = (markup = '') => markup.length + 500
const running = new Map<string, Promise<string | undefined>>()

/** Undefined if the text takes too long, now and each time. A version of a page is known by its text. */
async function markupOf(site: Site, text: string): Promise<string | undefined> {
  const key = `${site.number} ${hash('sha256', text)}`
  const known = kept.get(key)
  if (known) return known.markup
  const rendering = running.get(key) ?? renderInTurn(site, text).finally(() => running.delete(key))
  running.set(key, rendering)
  const markup = await rendering
  if (!kept.get(key)) keep(key, markup)
  return markup
}

function keep(key: string, markup: string | undefined): void {
  kept.set(key, { markup })
  keptSize += sizeOf(markup)
  for (const [oldest, entry] of kept.entries()) {
    if (keptSize <= mostKept) break
    kept.delete(oldest)
    keptSize -= sizeOf(entry.markup)
  }
}

/** One thread for a site at a time: previews of one never hold up the pages of another. */
const slots = new FairSlots({
  inAll: 2,
  perTenant: 1,
  waiting: 200,
  waitMs: 10_000,
  busy: () =>
    new Refusal('unavailable', 'text-busy', 'Too many texts are being rendered at once. Try again shortly.'),
})

const notAborted = new AbortController().signal

async function renderInTurn(site: Site, text: string): Promise<string | undefined> {
  using _slot = await slots.take(String(site.number), notAborted)
  const thread = idle.pop() ?? (await startThread())
  const markup = await renderIn(thread, text)
  if (markup !== undefined) idle.push(thread)
  return markup !== undefined && markup.length > mostMarkupBytes ? undefined : markup
}

/** Their listeners of `exit` take out threads that have ended. */
const idle: Worker[] = []

async function startThread(): Promise<Worker> {
  const resourceLimits = { maxOldGenerationSizeMb: 256 }
  const thread = new Worker(new URL('./markdown-thread.ts', import.meta.url), { resourceLimits })
  await once(thread, 'message')
  thread.on('error', () => undefined)
  thread.on('exit', () => {
    if (idle.includes(thread)) idle.splice(idle.indexOf(thread), 1)
  })
  // A thread that waits keeps no process alive.
  thread.unref()
  return thread
}

/** Ends the thread if the text takes too long, or too much memory. CPU is counted, so that a busy server refuses no text. */
async function renderIn(thread: Worker, text: string): Promise<string | undefined> {
  const before = await thread.cpuUsage()
  const { promise, resolve } = Promise.withResolvers<string | undefined>()
  const end = () => resolve(undefined)
  const timer = setInterval(async () => {
    const { user, system } = await thread.cpuUsage(before).catch(() => ({ user: 0, system: 0 }))
    if ((user + system) / 1_000 > mostCpuMs) end()
  }, checkMs)
  thread.once('message', resolve).once('exit', end)
  thread.postMessage(text)
  const markup = await promise
  clearInterval(timer)
  thread.off('message', resolve).off('exit', end)
  if (markup === undefined) await thread.terminate()
  return markup
}

export const textTooComplex = () => invalidFields([faultOf('body', 'tooComplex')])
