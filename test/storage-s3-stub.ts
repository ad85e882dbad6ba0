import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'

/** What can go wrong with one call. `Before` means before the work is done, `After` that it is done all the same. */
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

export interface StubCall {
  /** `put`, `head`, `get`, `delete`, `list`, `begin`, `part`, `complete`, `abort` or `uploads`. */
  action: string
  key: string
  /** Of all calls, from 1 on. */
  number: number
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

/** As much of S3 as is needed to do it wrong. The right way is tested against a real server. */
export async function startS3Stub() {
  const objects = new Map<string, StoredObject>()
  const uploads = new Map<
    string,
    { key: string; headers: Record<string, string>; parts: Map<number, Buffer> }
  >()
  const calls: StubCall[] = []
  let fault: (call: StubCall) => Fault | undefined = () => undefined

  const server = createServer((request, response) => {
    serve(request, response).catch((error) => {
      console.error(error)
      response.destroy()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '', 'http://stub')
    const key = decodeURIComponent(url.pathname.split('/').slice(2).join('/'))
    const call = { action: actionOf(request.method ?? '', url, key), key, number: calls.length + 1 }
    calls.push(call)
    const wrong = fault(call)
    const body = await buffer(request).catch(() => undefined)
    if (body === undefined) return
    if (wrong === 'hangBefore') return
    if (wrong === 'resetBefore') return void request.socket.resetAndDestroy()
    if (typeof wrong === 'object' && !wrong.isDone) return send(response, refusal(wrong.status, wrong.code))

    const answer = answerTo(call, url, request, wrong === 'damage' ? damaged(body) : body, wrong)
    if (wrong === 'hangAfter') return
    if (wrong === 'resetAfter') return void request.socket.resetAndDestroy()
    if (typeof wrong === 'object') return send(response, refusal(wrong.status, wrong.code))
    if (wrong === 'truncate') return truncate(response, answer)
    if (wrong === 'drip') return drip(response, answer)
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
      return { status: 200, headers: { etag: '"x"', 'x-amz-checksum-sha256': sum.toString('base64') } }
    }
    if (action === 'head' || action === 'get') {
      if (!object) return action === 'head' ? { status: 404 } : refusal(404, 'NoSuchKey')
      const ranged = /bytes=(\d+)-(\d+)/.exec(request.headers.range ?? '')
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
      const [prefix, after] = ['prefix', 'start-after'].map((name) => url.searchParams.get(name) ?? '')
      const keys = [...objects.keys()]
        .filter((each) => each.startsWith(prefix ?? '') && each > (after ?? ''))
        .sort()
      const entries = keys.slice(0, Number(url.searchParams.get('max-keys'))).map((each) => {
        const size = objects.get(each)?.bytes.length
        return `<Contents><Key>${each}</Key><Size>${size}</Size><LastModified>2026-11-15T00:00:00Z</LastModified></Contents>`
      })
      return { status: 200, body: `<ListBucketResult>${entries.join('')}</ListBucketResult>` }
    }
    if (action === 'begin') {
      const id = randomUUID()
      uploads.set(id, { key, headers, parts: new Map() })
      return { status: 200, body: `<R><UploadId>${id}</UploadId></R>` }
    }
    if (action === 'uploads') {
      const entries = [...uploads].map(([id, each]) => {
        return `<Upload><Key>${each.key}</Key><UploadId>${id}</UploadId><Initiated>2026-11-15T00:00:00Z</Initiated></Upload>`
      })
      return {
        status: 200,
        body: `<ListMultipartUploadsResult>${entries.join('')}</ListMultipartUploadsResult>`,
      }
    }
    if (!upload) return refusal(404, 'NoSuchUpload')
    if (action === 'part') {
      upload.parts.set(Number(url.searchParams.get('partNumber')), body)
      return { status: 200, headers: { etag: '"p"', 'x-amz-checksum-sha256': sum.toString('base64') } }
    }
    uploads.delete(url.searchParams.get('uploadId') ?? '')
    if (action === 'abort') return { status: 204 }
    const parts = [...upload.parts].sort(([one], [two]) => one - two)
    // As many servers do, it ignores a condition on the completion.
    objects.set(key, { bytes: Buffer.concat(parts.map(([, bytes]) => bytes)), headers: upload.headers })
    return {
      status: 200,
      body: '<CompleteMultipartUploadResult><ETag>"m"</ETag></CompleteMultipartUploadResult>',
    }
  }

  const { port } = server.address() as AddressInfo
  return {
    url: `s3://ACCESSKEY:verysecretsecret@127.0.0.1:${port}/bucket?scheme=http`,
    ...{ objects, uploads, calls },
    setFault(next: typeof fault) {
      fault = next
      calls.length = 0
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
  return key !== '' ? 'get' : has('uploads') ? 'uploads' : 'list'
}

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

/** So slowly that nobody would wait for the end. */
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
