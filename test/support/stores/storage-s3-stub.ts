import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** What can go wrong with one call. `Before`: the call fails and nothing is done; `After`: the work is done and the response is lost. */
export type Fault =
  | { status: number; code: string; isDone?: boolean }
  | 'hangBefore'
  | 'hangAfter'
  | 'resetBefore'
  | 'resetAfter'
  | 'truncate'
  | 'drip'
  | 'damage'
  | 'refuseDeletes'
  /** What a balancer in front of the bucket says to everything: 200 and a page. Nothing is done. */
  | 'page'
  /** One bit of the bytes that are sent is wrong. */
  | 'flip'
  /** A range other than the one that was asked for. */
  | 'otherRange'
  /** 404, though the object is there. */
  | 'absent'

export interface StubCall {
  /** `put`, `head`, `get`, `delete`, `list`, `begin`, `part`, `complete`, `abort`, `uploads` or `parts`. */
  action: string
  key: string
  /** Of all calls, from 1 on. */
  number: number
  /** Tells connections apart. */
  peerPort: number | undefined
}

interface StoredObject {
  bytes: Buffer
  headers: Record<string, string>
}

interface Answer {
  status: number
  headers?: Record<string, string>
  body?: Buffer | string
}

/** How a server pages its listings. All of these are within the protocol, but the last. */
export interface Paging {
  /** The most entries that a page holds, asked for each page. */
  pageSize?: () => number
  /** Before every page with entries comes one without any, which says that there is more. */
  hasEmptyPages?: boolean
  /** Every page begins with the last entry of the page before. */
  isRepeating?: boolean
  /** The last page is never sent: the page before it says that it is the last. */
  isLastDropped?: boolean
}

/** How the server answers a put: with checksum and ETag, with the ETag alone as older servers do, with an ETag that is no checksum, or with neither. */
type Echo = 'checksum' | 'etag' | 'opaque' | 'nothing'

const balancerPage: Answer = {
  status: 200,
  headers: { 'content-type': 'text/html', etag: '"5f3a"' },
  body: '<!doctype html><html><head><title>Welcome</title></head><body>It works!</body></html>',
}

/** As much of S3 as is needed to do it wrong. The right way is tested against a real server. */
export async function startS3Stub() {
  const objects = new Map<string, StoredObject>()
  const uploads = new Map<
    string,
    { key: string; headers: Record<string, string>; parts: Map<number, { bytes: Buffer; at: Date }> }
  >()
  const calls: StubCall[] = []
  let fault: (call: StubCall) => Fault | undefined | Promise<Fault | undefined> = () => undefined
  let paging: Paging = {}
  let aheadMs = 0
  let echo: Echo = 'checksum'
  const echoOf = (body: Buffer): Record<string, string> => {
    if (echo === 'nothing') return {}
    if (echo === 'opaque') return { etag: `"${randomUUID()}"` }
    const etag = `"${createHash('md5').update(body).digest('hex')}"`
    const sha256 = createHash('sha256').update(body).digest('base64')
    return echo === 'etag' ? { etag } : { etag, 'x-amz-checksum-sha256': sha256 }
  }
  const now = () => new Date(Date.now() + aheadMs)

  const server = createServer((request, response) => {
    serve(request, response).catch((error) => {
      console.error(error)
      response.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://stub')
    response.setHeader('date', now().toUTCString())
    const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'))
    const action = actionOf(request.method ?? '', url, key)
    const call = { action, key, number: calls.length + 1, peerPort: request.socket.remotePort }
    calls.push(call)
    const wrong = await fault(call)
    const body = await buffer(request).catch(() => undefined)
    if (body === undefined) return
    if (wrong === 'hangBefore') return
    if (wrong === 'page') return send(response, balancerPage)
    if (wrong === 'absent') return send(response, refusal(404, 'NoSuchKey'))
    if (wrong === 'resetBefore') return void request.socket.resetAndDestroy()
    if (typeof wrong === 'object' && !wrong.isDone) return send(response, refusal(wrong.status, wrong.code))

    const answer = answerTo(call, url, request, wrong === 'damage' ? damaged(body) : body, wrong)
    if (wrong === 'hangAfter') return
    if (wrong === 'resetAfter') return void request.socket.resetAndDestroy()
    if (typeof wrong === 'object') return send(response, refusal(wrong.status, wrong.code))
    if (wrong === 'truncate') return truncate(response, answer)
    if (wrong === 'drip') return drip(response, answer)
    if (wrong === 'flip') return send(response, { ...answer, body: damaged(Buffer.from(answer.body ?? '')) })
    send(response, answer)
  }

  function answerTo(call: StubCall, url: URL, request: IncomingMessage, body: Buffer, wrong?: Fault): Answer {
    const { action, key } = call
    const object = objects.get(key)
    const upload = uploads.get(url.searchParams.get('uploadId') ?? '')
    const marks = Object.entries(request.headers).filter(([name]) => name.startsWith('x-amz-meta-'))
    const headers = Object.fromEntries(marks) as Record<string, string>
    const sum = createHash('sha256').update(body).digest()

    if (action === 'put' || action === 'part') {
      const isWhole = request.headers['x-amz-content-sha256'] === sum.toString('hex')
      if (!isWhole && wrong !== 'damage') return refusal(400, 'XAmzContentSHA256Mismatch')
    }
    if (action === 'put') {
      if (request.headers['if-none-match'] === '*' && object) return refusal(412, 'PreconditionFailed')
      objects.set(key, { bytes: body, headers })
      return { status: 200, headers: echoOf(body) }
    }
    if (action === 'head' || action === 'get') {
      if (!object) return action === 'head' ? { status: 404 } : refusal(404, 'NoSuchKey')
      const asked = request.headers.range ?? ''
      const ranged = /bytes=(\d+)-(\d+)/.exec(wrong === 'otherRange' ? asked.replace(/\d+-/, '0-') : asked)
      const last = object.bytes.length
      const bytes = ranged ? object.bytes.subarray(Number(ranged[1]), Number(ranged[2]) + 1) : object.bytes
      const range: Record<string, string> = ranged
        ? { 'content-range': `bytes ${ranged[1]}-${ranged[2]}/${last}` }
        : {}
      const known = { ...object.headers, 'last-modified': new Date().toUTCString(), ...range }
      if (action === 'get') return { status: ranged ? 206 : 200, headers: known, body: bytes }
      return { status: 200, headers: { ...known, 'content-length': `${last}` } }
    }
    if (action === 'delete') {
      const keys = [...body.toString().matchAll(/<Key>(.*?)<\/Key>/g)].map((match) => match[1] ?? '')
      const errors = keys.map((each) => `<Error><Key>${each}</Key><Code>InternalError</Code></Error>`)
      if (wrong === 'refuseDeletes')
        return { status: 200, body: `<DeleteResult>${errors.join('')}</DeleteResult>` }
      for (const each of keys) objects.delete(each)
      return { status: 200, body: '<DeleteResult></DeleteResult>' }
    }
    if (action === 'list') {
      const page = pageOf([...objects.keys()], url, paging)
      const entries = page.keys.map((each) => {
        const size = objects.get(each)?.bytes.length
        return `<Contents><Key>${each}</Key><Size>${size}</Size><LastModified>2026-11-15T00:00:00Z</LastModified></Contents>`
      })
      return {
        status: 200,
        body: `<ListBucketResult><Name>bucket</Name>${entries.join('')}${page.end}</ListBucketResult>`,
      }
    }
    if (action === 'begin') {
      const id = randomUUID()
      uploads.set(id, { key, headers, parts: new Map() })
      return {
        status: 200,
        body: `<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`,
      }
    }
    if (action === 'uploads') {
      const [prefix = '', marker = ''] = ['prefix', 'key-marker'].map(
        (name) => url.searchParams.get(name) ?? '',
      )
      const begun = [...uploads].map(([id, each]) => ({ id, key: each.key }))
      const left = begun.filter((each) => each.key.startsWith(prefix) && each.key > marker).sort(byKey)
      const shown = left.slice(0, paging.pageSize?.() ?? 1_000)
      const entries = shown.map((each) => {
        return `<Upload><Key>${each.key}</Key><UploadId>${each.id}</UploadId><Initiated>2026-11-15T00:00:00Z</Initiated></Upload>`
      })
      const last = shown.at(-1)
      const end =
        shown.length < left.length
          ? `<IsTruncated>true</IsTruncated><NextKeyMarker>${last?.key}</NextKeyMarker><NextUploadIdMarker>${last?.id}</NextUploadIdMarker>`
          : '<IsTruncated>false</IsTruncated>'
      return {
        status: 200,
        body: `<ListMultipartUploadsResult>${entries.join('')}${end}</ListMultipartUploadsResult>`,
      }
    }
    if (!upload) return refusal(404, 'NoSuchUpload')
    if (action === 'part') {
      upload.parts.set(Number(url.searchParams.get('partNumber')), { bytes: body, at: now() })
      return { status: 200, headers: echoOf(body) }
    }
    if (action === 'parts') {
      const parts = [...upload.parts].map(
        ([number, { at }]) =>
          `<Part><PartNumber>${number}</PartNumber><LastModified>${at.toISOString()}</LastModified></Part>`,
      )
      return { status: 200, body: `<ListPartsResult>${parts.join('')}</ListPartsResult>` }
    }
    uploads.delete(url.searchParams.get('uploadId') ?? '')
    if (action === 'abort') return { status: 204 }
    const parts = [...upload.parts].sort(([one], [two]) => one - two)
    // As many servers do, it ignores a condition on the completion.
    objects.set(key, { bytes: Buffer.concat(parts.map(([, { bytes }]) => bytes)), headers: upload.headers })
    const tags = parts.map(([, { bytes }]) => createHash('md5').update(bytes).digest())
    const etag = `${createHash('md5').update(Buffer.concat(tags)).digest('hex')}-${parts.length}`
    const said = echo === 'nothing' || echo === 'opaque' ? 'm' : etag
    return {
      status: 200,
      body: `<CompleteMultipartUploadResult><ETag>"${said}"</ETag></CompleteMultipartUploadResult>`,
    }
  }

  const { port } = server.address() as AddressInfo
  return {
    url: `s3://ACCESSKEY:verysecretsecret@127.0.0.1:${port}/bucket?scheme=http`,
    objects,
    uploads,
    calls,
    setFault(next: typeof fault) {
      fault = next
      calls.length = 0
    },
    /** How far the server's clock is ahead of ours. */
    setClock(ms: number) {
      aheadMs = ms
    },
    setEcho(next: Echo) {
      echo = next
    },
    setPaging(next: Paging) {
      paging = next
    },
    async [Symbol.asyncDispose]() {
      server.close()
      server.closeAllConnections()
    },
  }
}

function actionOf(method: string, url: URL, key: string): string {
  const has = (name: string) => url.searchParams.has(name)
  if (method === 'PUT') return has('uploadId') ? 'part' : 'put'
  if (method === 'POST') return has('delete') ? 'delete' : has('uploads') ? 'begin' : 'complete'
  if (method === 'DELETE') return 'abort'
  if (method === 'HEAD') return 'head'
  if (key !== '') return has('uploadId') ? 'parts' : 'get'
  return has('uploads') ? 'uploads' : 'list'
}

const byKey = (one: { key: string }, two: { key: string }) => (one.key < two.key ? -1 : 1)

/** A token is the key that the next page begins behind, and whether an empty page was sent for it. */
function pageOf(all: readonly string[], url: URL, paging: Paging): { keys: string[]; end: string } {
  const asked = (name: string) => url.searchParams.get(name) ?? ''
  const [state = '', behind = ''] = asked('continuation-token').split('|', 2)
  const after = state === '' ? asked('start-after') : behind
  const left = all.filter((key) => key.startsWith(asked('prefix')) && key > after).sort()
  if (paging.hasEmptyPages && state !== 'full' && left.length > 0) return truncated([], `full|${after}`)
  const most = Number(asked('max-keys'))
  const repeated = paging.isRepeating && most > 1 && all.includes(after) ? [after] : []
  const size = Math.min(paging.pageSize?.() ?? 1_000, most - repeated.length)
  const page = left.slice(0, size)
  const rest = left.length - page.length
  const keys = [...repeated, ...page]
  const end = '<IsTruncated>false</IsTruncated>'
  if (paging.isLastDropped && rest === 0) return { keys: [], end }
  if (rest === 0 || (paging.isLastDropped && rest <= size)) return { keys, end }
  return truncated(keys, `next|${page.at(-1) ?? after}`)
}

const truncated = (keys: string[], token: string) => ({
  keys,
  end: `<IsTruncated>true</IsTruncated><NextContinuationToken>${token}</NextContinuationToken>`,
})

function refusal(status: number, code: string): Answer {
  return { status, body: `<Error><Code>${code}</Code><Message>verysecretsecret</Message></Error>` }
}

function send(response: ServerResponse, { status, headers = {}, body = '' }: Answer): void {
  const bytes = Buffer.from(body)
  response.writeHead(status, { 'content-length': `${bytes.length}`, ...headers }).end(bytes)
}

/** Half of what was promised, then the line is cut. */
function truncate(response: ServerResponse, { status, headers = {}, body = '' }: Answer): void {
  const bytes = Buffer.from(body)
  response.writeHead(status, { ...headers, 'content-length': `${bytes.length + 10}` })
  response.write(bytes.subarray(0, bytes.length / 2), () => setTimeout(() => response.destroy(), 20))
}

/** So slowly that every client times out. */
function drip(response: ServerResponse, { status, headers = {}, body = '' }: Answer): void {
  const bytes = Buffer.from(body)
  response.writeHead(status, { ...headers, 'content-length': `${bytes.length}` })
  let sent = 0
  const timer = setInterval(() => {
    response.write(bytes.subarray(sent, ++sent))
    if (sent >= bytes.length) response.end()
  }, 20)
  response.once('close', () => clearInterval(timer))
}

function damaged(body: Buffer): Buffer {
  const copy = Buffer.from(body)
  copy[0] = (copy[0] ?? 0) ^ 1
  return copy
}
