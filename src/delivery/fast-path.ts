import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { App } from '../app.ts'
import { filePath } from '../http/addresses/file-addresses.ts'
import { firstByteAt } from '../http/connection/first-byte.ts'
import { type FastPath, trackResponse } from '../http/connection/raw-responses.ts'
import type { Measure } from '../http/monitoring/metrics.ts'
import { hostnameOf, isUnderHttps } from '../http/requests/client-info.ts'
import { fileCors, firstHeaders, httpsHeaders } from '../http/responses/headers.ts'
import { type FoundBytes, findBytesSync } from '../media/index.ts'
import { confirmRows, isTrafficUsedUp, lastRowsToken, type Site, suspendedBy } from '../site/index.ts'
import { siteSync } from '../tenants/index.ts'
import { accelOf } from './accel.ts'
import { keptPictureSync } from './asked-transform.ts'
import { countDownload, lengthOf, sentOf } from './count-traffic.ts'
import { type FileResponse, fileResponseOf } from './file-response.ts'
import { hotCacheOf, type PinnedBytes, pin } from './hot-files.ts'
import { isProvenSync } from './kept-bytes.ts'
import { isStoredSync } from './read-bytes.ts'
import { signedSync } from './signed-bytes.ts'

/**
 * Answers requests for files without the framework, if the bytes are in memory or a proxy sends them: a thumb by the long
 * way costs 21 times the CPU of nginx. It calls the same functions as the long way (`get-file.ts`) and leaves to it every
 * request that is refused, unusual, or needs to wait. Why its caches are current: docs/fast-path.md.
 */
export function fastPath(app: App, server: Server, measure: Measure): FastPath {
  const cache = hotCacheOf(app)
  const findReady = readyResponses(app)

  function answer(request: IncomingMessage, response: ServerResponse, ready: Ready): void {
    const { file, pinned, site, found, startedAt } = ready
    if (found.derived) app.control.pendingStats.addHit(site.number, found.derived.id)
    const count = file.status < 300 ? countDownload(app, site, found, file) : undefined
    const bytes = lengthOf(found, file)
    if (!pinned) count?.(bytes)
    const { socket } = response
    response.on('close', () => {
      if (pinned) {
        count?.(sentOf(response, socket, bytes))
        cache.release(pinned)
      }
      const elapsedMs = performance.now() - startedAt
      measure({ method: 'GET', route: '/images/*', status: file.status, elapsedMs })
    })
    send(response, ready, isUnderHttps(request, app.config))
  }

  function leaveUnanswered(response: ServerResponse, { pinned }: Ready, leave: () => void): void {
    if (pinned) cache.release(pinned)
    if (!response.destroyed) leave()
  }

  return (request, response, leave) => {
    // While the server closes, the framework adds `Connection: close`.
    if (!server.listening || !isPlain(request)) return false
    const ready = findReady(request, response)
    if (!ready) return false
    trackResponse(response)
    const confirming = confirmRows(ready.site, ready.changeToken)
    if (!confirming) {
      answer(request, response, ready)
      return true
    }
    confirming.then((isCurrent) => {
      if (isCurrent && server.listening && !response.destroyed) answer(request, response, ready)
      else leaveUnanswered(response, ready, leave)
    })
    return true
  }
}

const prefix = '/images/'

function isPlain({ method, url, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    url?.startsWith(prefix) === true &&
    headers['content-length'] === undefined &&
    headers['transfer-encoding'] === undefined &&
    headers.expect === undefined &&
    headers.upgrade === undefined
  )
}

interface Ready {
  startedAt: number
  site: Site
  /** Of the rows from which the answer follows. */
  changeToken: object
  found: FoundBytes
  file: FileResponse
  pinned?: PinnedBytes
  /** The internal path from which the proxy sends the bytes. */
  redirect?: string
}

/** Sites with a quota that has reached a threshold; all others are served without a look at the clock. */
const mayBeClosed = (site: Site) => isTrafficUsedUp(site) || suspendedBy(site) !== undefined

function readyResponses(app: App) {
  const accelPathOf = accelOf(app)

  function responseSync(request: IncomingMessage, response: ServerResponse): Ready | undefined {
    const url = request.url ?? ''
    const queryAt = url.indexOf('?')
    const path = filePath(url.slice(prefix.length, queryAt === -1 ? undefined : queryAt))
    const site = path && siteSync(app.control, hostnameOf(request, app.config))
    if (site?.quotas && mayBeClosed(site)) return undefined
    const changeToken = site && lastRowsToken(site)
    const original = changeToken && findBytesSync(site, path, changeToken)
    if (!original) return undefined
    const filePathText = `/${path.folder}/${path.fileName}`
    const { accept } = request.headers
    const kept =
      queryAt === -1
        ? 'none'
        : keptPictureSync(app, site, { found: original, path: filePathText, url, accept })
    if (kept === undefined) return undefined
    const { found, limits } = kept === 'none' ? { found: original } : kept
    const signed = found.file.isProtected
      ? signedSync(app, site, { found, path: filePathText, url })
      : undefined
    // The long way refuses it, or reads its share.
    if (found.file.isProtected && !signed) return undefined
    const redirect = accelPathOf(request, site, { key: found.key, isVarying: limits?.isVarying })
    const isRedirected = redirect !== undefined
    const { cacheTagHeaders: tagHeaders } = app.config
    const allowsRange = !isRedirected
    const conditions = { headers: request.headers, allowsRange, isRedirected, signed, limits, tagHeaders }
    const file = fileResponseOf(site, found, conditions)
    const ready = { startedAt: firstByteAt(request), site, changeToken, found, file }
    if (file.status === 304) return ready
    if (file.status > 304) return undefined
    const reading = { app, site, found }
    const isSound = found.derived ? isProvenSync : isStoredSync
    if (redirect !== undefined) return isSound(reading) ? { ...ready, redirect } : undefined
    const pinned = pin(reading, response)
    return pinned && { ...ready, pinned }
  }

  return (request: IncomingMessage, response: ServerResponse): Ready | undefined => {
    try {
      return responseSync(request, response)
    } catch {
      // The long way meets the same error and reports it.
      return undefined
    }
  }
}

function send(response: ServerResponse, { file, pinned, redirect }: Ready, isHttps: boolean): void {
  const { status, headers, range } = file
  const list = listOf(headers, isHttps)
  if (pinned) {
    const bytes = range ? pinned.bytes.subarray(range.start, range.end + 1) : pinned.bytes
    response.writeHead(status, [...list, 'content-length', String(bytes.length)])
    response.end(bytes)
    return
  }
  if (redirect === undefined) response.writeHead(status, [...list])
  else {
    // nginx adds an Accept-Ranges of its own.
    const own = withoutHeader(list, 'accept-ranges')
    response.writeHead(status, [...own, 'x-accel-redirect', redirect, 'content-length', '0'])
  }
  response.end()
}

function withoutHeader(list: readonly string[], name: string): readonly string[] {
  const index = list.indexOf(name)
  return index === -1 ? list : list.toSpliced(index, 2)
}

type Lists = WeakMap<FileResponse['headers'], readonly string[]>

const lists = { http: new WeakMap() as Lists, https: new WeakMap() as Lists }

/** Names and values in turn, in the form of `writeHead`. Built once for each file and scheme. */
function listOf(headers: FileResponse['headers'], isHttps: boolean): readonly string[] {
  const ofScheme = isHttps ? lists.https : lists.http
  const known = ofScheme.get(headers)
  if (known) return known
  const all = { ...firstHeaders, ...fileCors, ...(isHttps && httpsHeaders), ...headers }
  const list = Object.entries(all).flat()
  ofScheme.set(headers, list)
  return list
}
