/**
 * Shows one page of the site, which is the same for everyone, where a page cannot be loaded, and sends the uploads that wait when
 * the connection is back. It keeps nothing else and answers nothing else.
 */
import type { UploadData } from '../src/common/wire.ts'
import { outcomeOf } from './islands/upload/queue/outcome.ts'
import { openQueueStorage, type QueueStorage } from './islands/upload/queue/queue-storage.ts'
import { isOpen, type Row } from './islands/upload/queue/row.ts'
import { headersOf, largeBytes, partBytes } from './islands/upload/queue/send.ts'
import { openTabs } from './islands/upload/queue/tabs.ts'

/** Written by the server before this script. */
declare const offline: { cache: string; page: string; files: readonly string[] }

interface WorkerEvent extends Event {
  waitUntil(work: Promise<unknown>): void
}

interface FetchEvent extends WorkerEvent {
  request: Request
  preloadResponse: Promise<Response | undefined>
  respondWith(answer: Promise<Response>): void
}

interface WorkerScope {
  registration: ServiceWorkerRegistration
  clients: { claim(): Promise<void> }
  skipWaiting(): Promise<void>
  addEventListener(type: 'install' | 'activate' | 'sync', listener: (event: WorkerEvent) => void): void
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void
}

const worker = globalThis as unknown as WorkerScope

worker.addEventListener('install', (event) => event.waitUntil(keepPage().then(() => worker.skipWaiting())))

worker.addEventListener('activate', (event) =>
  event.waitUntil(
    Promise.all([
      forget((name) => name !== offline.cache),
      worker.registration.navigationPreload?.enable(),
      worker.clients.claim(),
    ]),
  ),
)

worker.addEventListener('fetch', (event) => {
  const { method, mode, url } = event.request
  const { origin, pathname } = new URL(url)
  if (method !== 'GET' || origin !== location.origin) return
  if (mode === 'navigate' && isPage(pathname)) {
    event.respondWith(pageOrOffline(event))
    event.waitUntil(leaveIfUnwanted())
  } else if (offline.files.includes(pathname))
    event.respondWith(fetch(event.request).catch(() => kept(pathname)))
})

worker.addEventListener('sync', (event) => event.waitUntil(sendWaiting()))

/** Without cookies, so that it is nobody's page. */
async function keepPage(): Promise<void> {
  const cache = await caches.open(offline.cache)
  await cache.addAll(
    [offline.page, ...offline.files].map((path) => new Request(path, { credentials: 'omit' })),
  )
}

const forget = async (isOld: (name: string) => boolean): Promise<unknown> =>
  Promise.all((await caches.keys()).filter(isOld).map((name) => caches.delete(name)))

/** Not the APIs, not what scripts ask for, and not files: those are downloads, and a browser knows best how to continue them. */
const isPage = (path: string) => !/^\/(_|-|api)\/|\/zip$|\.[a-z\d]{2,5}$/i.test(path)

const pageOrOffline = async ({ request, preloadResponse }: FetchEvent): Promise<Response> => {
  try {
    return (await preloadResponse) ?? (await fetch(request))
  } catch {
    return kept(offline.page)
  }
}

const kept = async (path: string): Promise<Response> => (await caches.match(path)) ?? Response.error()

let isAsked = false

/** A server that has no worker any more, such as one of an earlier version, says so. Asked until it answers, once each time the worker starts. */
async function leaveIfUnwanted(): Promise<void> {
  if (isAsked) return
  isAsked = true
  const { status } = await fetch(location.pathname, { method: 'HEAD' }).catch(() => ({ status: 0 }))
  isAsked = status !== 0
  if (status !== 404 && status !== 410) return
  await worker.registration.unregister()
  await forget(() => true)
}

/** Rows whose pages are gone. A failure makes the browser try again later. */
async function sendWaiting(): Promise<void> {
  const storage = openQueueStorage()
  const rows = (await storage.all('rows')).filter(isOpen)
  if (rows.length === 0) return
  const tabs = openTabs()
  try {
    const others = await tabs.others()
    const answer = await fetch('/-/upload', {
      headers: { Accept: 'application/json', 'X-Terrace-Page': '1' },
    })
    if (!answer.ok) return
    const data: UploadData = await answer.json()
    const left = rows.filter(({ owner, tab }) => owner === data.owner && !others.has(tab))
    for (const row of left.sort((a, b) => a.order - b.order))
      await sendRow(data, storage, { ...row, tab: tabs.id })
  } finally {
    tabs.close()
  }
}

async function sendRow(data: UploadData, storage: QueueStorage, row: Row): Promise<void> {
  const blob = row.url === undefined ? (await storage.get('bytes', row.id))?.blob : undefined
  if (row.url === undefined && !blob) return
  await storage.put('rows', row)
  const isLarge = blob && blob.size > largeBytes && data.resumesAt !== null
  const answer = await (isLarge ? sendParts(data, storage, { row, blob }) : sendWhole(data, row, blob))
  const outcome = outcomeOf(data, { status: answer.status, text: await answer.text(), retryAfter: null })
  if ('again' in outcome) throw new Error(outcome.again)
  if ('refused' in outcome) await storage.put('rows', { ...row, state: 'refused', reason: outcome.refused })
  if (!('file' in outcome)) return
  const { file } = outcome
  await storage.put('rows', { ...row, state: 'done', file })
  await storage.delete('bytes', row.id)
  if (data.owner === 'guest' && file.delete_url)
    await storage.put('own', { id: file.id, at: Date.now(), name: row.name, file })
}

function sendWhole(data: UploadData, row: Row, blob: Blob | undefined): Promise<Response> {
  const parameters = new URLSearchParams(row.options)
  if (blob) parameters.set('filename', row.name.toWellFormed())
  else parameters.set('source', row.url ?? '')
  return fetch(blob ? `${data.sendsAt}?${parameters}` : data.sendsAt, {
    method: 'POST',
    headers: {
      ...headersOf(data, row),
      'Content-Type': blob ? 'application/octet-stream' : 'application/x-www-form-urlencoded',
    },
    body: blob ?? parameters.toString(),
  })
}

/** In parts, as pages send it, without their client, which needs a page. The browser may end the worker between two of them. */
async function sendParts(
  data: UploadData,
  storage: QueueStorage,
  { row, blob }: { row: Row; blob: Blob },
): Promise<Response> {
  const headers = { ...headersOf(data, row), 'Tus-Resumable': '1.0.0' }
  const metadata = Object.entries({ ...row.options, filename: row.name.toWellFormed() })
    .map(([name, value]) => `${name} ${btoa(String.fromCharCode(...new TextEncoder().encode(value)))}`)
    .join()
  let { resumeAt = '' } = row
  let answer = resumeAt === '' ? undefined : await fetch(resumeAt, { method: 'HEAD', headers })
  // Not begun yet, or expired since.
  if (!answer || answer.status === 404 || answer.status === 410) {
    answer = await fetch(data.resumesAt ?? '', {
      method: 'POST',
      headers: { ...headers, 'Upload-Length': String(blob.size), 'Upload-Metadata': metadata },
    })
    if (!answer.ok) return answer
    resumeAt = new URL(answer.headers.get('Location') ?? '', location.href).href
    await storage.put('rows', { ...row, resumeAt })
  }
  while (answer.ok) {
    const offset = Number(answer.headers.get('Upload-Offset'))
    if (offset >= blob.size) return fetch(resumeAt, { headers })
    answer = await fetch(resumeAt, {
      method: 'PATCH',
      headers: {
        ...headers,
        'Content-Type': 'application/offset+octet-stream',
        'Upload-Offset': String(offset),
      },
      body: blob.slice(offset, offset + partBytes),
    })
  }
  return answer
}
