import { once } from 'node:events'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { type ReadingOptions, readUpload } from '../../../src/http/uploads/read-upload.ts'
import { Refusal } from '../../../src/lib/refusal.ts'

/** What came of one request. */
export interface Outcome {
  parameters?: Record<string, string>
  sourceField?: string | undefined
  url?: string
  bytes?: Buffer
  name?: string | undefined
  md5?: string
  sizeBytes?: number
  folder?: string
  /** `code: message` of a refusal. */
  refused?: string
  kind?: string
  error?: unknown
}

export interface UploadRequest {
  method?: string
  path?: string
  type?: string
  headers?: Record<string, string>
  body?: string | Buffer
}

type Options = Partial<Omit<ReadingOptions, 'spoolFolder'>>

export async function outcomeOf(request: IncomingMessage, options: ReadingOptions): Promise<Outcome> {
  try {
    await using form = await readUpload(request, options)
    const { source, parameters, sourceField, spool } = form
    const common = { parameters: Object.fromEntries(parameters), sourceField, folder: spool.folder }
    if (!source) return common
    if ('url' in source) return { ...common, url: source.url }
    if ('refused' in source) throw source.refused
    const { path, ...rest } = source
    return { ...common, ...rest, bytes: await readFile(path) }
  } catch (error) {
    if (!(error instanceof Refusal)) return { error }
    return { refused: `${error.code}: ${error.message}`, kind: error.kind }
  }
}

/** A server that reads uploads, behind a real socket. */
export async function startReader(options: Options = {}) {
  await using opened = new AsyncDisposableStack()
  const spoolFolder = await mkdtemp(join(tmpdir(), 'terrace-reading-'))
  opened.defer(() => rm(spoolFolder, { recursive: true, force: true }))
  const waiting: ((outcome: Outcome) => void)[] = []
  const server = createServer(async (request, response) => {
    const outcome = await outcomeOf(request, { spoolFolder, maxBytes: 1_000_000, ...options })
    answer(response, outcome)
    waiting.shift()?.(outcome)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.defer(async () => {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  })
  const { port } = server.address() as AddressInfo

  const nextOutcome = () => new Promise<Outcome>((resolve) => waiting.push(resolve))
  const dial = async (): Promise<Socket> => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => undefined)
    await once(socket, 'connect')
    return socket
  }
  const send = async (request: UploadRequest): Promise<Outcome> => {
    const outcome = nextOutcome()
    const socket = await dial()
    socket.resume()
    socket.write(wireOf(request))
    try {
      return await outcome
    } finally {
      socket.destroy()
    }
  }
  const moved = opened.move()
  return {
    port,
    spoolFolder,
    nextOutcome,
    dial,
    send,
    server,
    left: () => readdir(spoolFolder),
    [Symbol.asyncDispose]: () => moved.disposeAsync(),
  }
}

export type Reader = Awaited<ReturnType<typeof startReader>>

function answer(response: ServerResponse, { bytes, ...outcome }: Outcome): void {
  response.writeHead(outcome.refused === undefined ? 200 : 400, { 'content-type': 'application/json' })
  response.end(JSON.stringify({ ...outcome, bytes: bytes?.length }))
}

/** The request as it goes over the wire, with a Content-Length. */
export function wireOf({ method = 'POST', path = '/api/1/upload', type, headers, body }: UploadRequest) {
  const bytes = Buffer.from(body ?? '')
  const all = {
    host: 'cats.test',
    ...(type === undefined ? {} : { 'content-type': type }),
    ...(body === undefined ? {} : { 'content-length': bytes.length }),
    ...headers,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.concat([Buffer.from(`${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`), bytes])
}

/** Reads a body that arrives in just these pieces, without a socket that could join them. */
export function readPieces(spoolFolder: string, type: string, pieces: Buffer[], maxBytes = 1_000_000) {
  const headers = { 'content-type': type, 'transfer-encoding': 'chunked' }
  const request = Object.assign(Readable.from(pieces), { headers, method: 'POST', url: '/' })
  return outcomeOf(request as unknown as IncomingMessage, { spoolFolder, maxBytes })
}

export const BOUNDARY = 'xYzZyX-12345'
export const MULTIPART = `multipart/form-data; boundary=${BOUNDARY}`
export const URLENCODED = 'application/x-www-form-urlencoded'
export const JSON_TYPE = 'application/json'

/** One part: what stands behind `form-data; ` and its content, or also its content type. */
export type Part = [disposition: string, content: string | Buffer, type?: string]

export function multipart(...parts: Part[]): Buffer {
  const pieces = parts.flatMap(([disposition, content, type]) => [
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n${type === undefined ? '' : `Content-Type: ${type}\r\n`}\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...pieces, Buffer.from(`--${BOUNDARY}--\r\n`)])
}
