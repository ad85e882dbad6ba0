import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { BOUNDARY, JSON_TYPE, MULTIPART, URLENCODED } from '../support/clients/upload-reading.ts'

const module = new URL('../../src/http/uploads/read-upload.ts', import.meta.url).href

/** Reads uploads in a process of its own, and tells how its memory has grown at most, with its garbage or without. */
const server = `
  import { createServer } from 'node:http'
  import { readUpload } from ${JSON.stringify(module)}
  const liveBytes = () => {
    globalThis.gc()
    // The memory of buffers is given back behind the collection's back, but before the next one.
    globalThis.gc()
    const { heapUsed, external } = process.memoryUsage()
    return heapUsed + external
  }
  const drain = async (request) => {
    let sizeBytes = 0
    for await (const chunk of request) sizeBytes += chunk.length
    return sizeBytes
  }
  const spool = async (request) => {
    await using form = await readUpload(request, { spoolFolder: process.argv[1], maxBytes: 100_000_000 })
    return form.source?.sizeBytes
  }
  createServer(async (request, response) => {
    const measure = request.url === '/live' ? liveBytes : process.memoryUsage.rss
    const before = measure()
    let most = 0
    const look = () => { most = Math.max(most, measure() - before) }
    const timer = setInterval(look, 100)
    const sizeBytes = await (request.url === '/drain' ? drain : spool)(request)
    clearInterval(timer)
    look()
    response.end(JSON.stringify({ most, sizeBytes }))
  }).listen(0, '127.0.0.1', function () { process.stdout.write(String(this.address().port)) })
`

let folder = ''
let port = 0
let child: ReturnType<typeof spawn>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'terrace-memory-'))
  child = spawn(process.execPath, ['--expose-gc', '--input-type=module', '-e', server, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  assert.ok(child.stdout)
  const [said] = await Promise.race([once(child.stdout, 'data'), once(child, 'exit')])
  port = Number(String(said))
})
afterAll(async () => {
  child.kill()
  await rm(folder, { recursive: true, force: true })
})

/** Bytes that have slashes and pluses in base64 as often as any. */
const block = Buffer.from(Array.from({ length: 49_152 }, (_, index) => (index * 2_654_435_761) >>> 13))
const base64 = block.toString('base64')

interface Measured {
  /** Bytes of memory above what there was before. */
  most: number
  sizeBytes: number
}

interface Sending {
  type: string
  /** What stands before the file, its blocks, and what stands behind. */
  body: [string, string | Buffer, string]
}

async function send({ type, body: [before, repeated, after] }: Sending, path: string, blocks: number) {
  const sending = request({ port, path, method: 'POST', headers: { 'content-type': type } })
  const answer = once(sending, 'response')
  const pieces = function* () {
    yield Buffer.from(before)
    const piece = Buffer.from(repeated)
    for (let count = 0; count < blocks; count++) yield piece
    yield Buffer.from(after)
  }
  await pipeline(Readable.from(pieces()), sending)
  const [response] = await answer
  return JSON.parse(String(Buffer.concat(await response.toArray()))) as Measured
}

describe('100 MB raise the memory by a few MB, and with all garbage by less than 30 more than Node itself, as', () => {
  const part = (disposition: string) =>
    `--${BOUNDARY}\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n`
  const close = `\r\n--${BOUNDARY}--\r\n`
  const encodings: Record<string, Sending> = {
    'a file part': { type: MULTIPART, body: [part('name="source"; filename="a"'), block, close] },
    'a text part': { type: MULTIPART, body: [part('name="source"'), base64, close] },
    'a form': { type: URLENCODED, body: ['key=k&source=', encodeURIComponent(base64), '&title=t'] },
    JSON: { type: JSON_TYPE, body: ['{"source":"', base64.replaceAll('/', '\\/'), '","key":"k"}'] },
  }
  for (const [title, sending] of Object.entries(encodings)) {
    test(title, { timeout: 180_000 }, async () => {
      const live = await send(sending, '/live', 400)
      assert.ok(live.most < 5_000_000, `${live.most} bytes are in use`)
      // What Node takes to receive so much, whatever is done with it, is not ours.
      const drained = await send(sending, '/drain', 2034)
      const all = await send(sending, '/', 2034)
      assert.equal(all.sizeBytes, 2034 * block.length)
      assert.ok(
        all.most < drained.most + 30_000_000,
        `${all.most} bytes of memory, ${drained.most} without us`,
      )
    })
  }
})
