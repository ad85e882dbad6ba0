import assert from 'node:assert/strict'
import { hash } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { describe, test } from 'vitest'
import { spoolFault } from '../../src/http/uploads/reading/form-errors.ts'
import { openSpool } from '../../src/http/uploads/source/spool.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import {
  JSON_TYPE,
  MULTIPART,
  multipart,
  type Outcome,
  outcomeOf,
  type Reader,
  startReader,
  URLENCODED,
  wireOf,
} from '../support/clients/upload-reading.ts'

const cat = Buffer.from(Array.from({ length: 100_000 }, (_, index) => (index * 7919) >> 3))
const small = Buffer.from('The cat.')

const bodies = (bytes: Buffer): Record<string, { type: string; body: Buffer }> => ({
  'a file part': {
    type: MULTIPART,
    body: multipart(
      ['name="key"', 'k'],
      ['name="source"; filename="cat.jpg"', bytes, 'image/jpeg'],
      ['name="title"', 'Cat'],
    ),
  },
  'a text part': {
    type: MULTIPART,
    body: multipart(['name="source"', bytes.toString('base64')], ['name="key"', 'k']),
  },
  'a form': {
    type: URLENCODED,
    body: Buffer.from(
      String(new URLSearchParams({ key: 'k', source: bytes.toString('base64'), title: 'Ä' })),
    ),
  },
  JSON: {
    type: JSON_TYPE,
    body: Buffer.from(JSON.stringify({ key: 'k', source: bytes.toString('base64'), title: 'Ä\n', nsfw: 1 })),
  },
})

/** Sends so much of the body, then goes away. */
async function sendCut(reader: Reader, type: string, body: Buffer, length: number): Promise<Outcome> {
  const outcome = reader.nextOutcome()
  const asked = once(reader.server, 'request')
  const socket = await reader.dial()
  const headers = { 'content-length': String(body.length) }
  socket.write(Buffer.concat([wireOf({ type, headers }), body.subarray(0, length)]))
  await asked
  if (length % 2 === 0) socket.resetAndDestroy()
  else socket.destroy()
  return Promise.race([outcome, wait(3000, { refused: 'never answered' }, { ref: false })])
}

const openFiles = () => readdirSync('/proc/self/fd').length

describe('nothing is left of an upload that is cut off', () => {
  for (const [title, { type, body }] of Object.entries(bodies(small))) {
    test(`at any byte of ${title}`, async () => {
      await using reader = await startReader()
      for (let length = 0; length < body.length; length++) {
        const { refused } = await sendCut(reader, type, body, length)
        assert.equal(refused, 'bad-request: The body was broken off.', `${length}`)
      }
      assert.deepEqual(await reader.left(), [])
    })
  }
  for (const [title, { type, body }] of Object.entries(bodies(cat))) {
    test(`at every 4 kB of ${title}`, async () => {
      await using reader = await startReader()
      await sendCut(reader, type, body, 4096)
      const before = openFiles()
      for (let length = 4096; length < body.length; length += 4096) {
        const { refused } = await sendCut(reader, type, body, length)
        assert.equal(refused, 'bad-request: The body was broken off.', `${length}`)
      }
      assert.deepEqual(await reader.left(), [])
      await wait(50)
      assert.ok(openFiles() <= before + 2, `${openFiles()} files are open, ${before} were`)
    })
  }
})

test('a body that ends too early for its form is refused', async () => {
  await using reader = await startReader()
  for (const [title, { type, body }] of Object.entries(bodies(small)))
    for (let length = 1; length < body.length; length++) {
      const { refused, parameters } = await reader.send({ type, body: body.subarray(0, length) })
      // A form has no end of its own; behind the closing boundary nothing is missed.
      if (title === 'a form') assert.match(refused ?? '', /^(bad-base64|bad-parameter): |^$/)
      else if (length < body.length - 2)
        assert.match(refused ?? '', /^(bad-form|bad-base64): /, `${title} ${length}`)
      else assert.ok(parameters ?? refused)
    }
  assert.deepEqual(await reader.left(), [])
})

test('a caller who is gone already is noticed', async () => {
  await using reader = await startReader()
  const requests = Promise.withResolvers<Outcome>()
  reader.server.removeAllListeners('request')
  reader.server.on('request', async (request) => {
    await new Promise((resolve) => request.on('close', resolve))
    requests.resolve(await outcomeOf(request, { spoolFolder: reader.spoolFolder, maxBytes: 1000 }))
  })
  const socket = await reader.dial()
  socket.write(wireOf({ type: JSON_TYPE, headers: { 'content-length': '100' } }))
  await once(reader.server, 'request')
  socket.destroy()
  assert.equal((await requests.promise).refused, 'bad-request: The body was broken off.')
  assert.deepEqual(await reader.left(), [])
})

test('a disk that does not work is no fault of the caller, and no bug', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-cuts-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  await writeFile(join(folder, 'file'), '')
  await using reader = await startReader({ spoolFolder: join(folder, 'file/spool') } as object)
  const { kind, refused } = await reader.send({ type: JSON_TYPE, body: '{}' })
  assert.deepEqual(
    [kind, refused],
    ['unavailable', 'storage-unavailable: Uploads cannot be stored right now. Try again shortly.'],
  )

  const full = spoolFault(Object.assign(new Error('full'), { code: 'ENOSPC', errno: -28 }))
  assert.ok(full instanceof Refusal)
  assert.deepEqual([full.kind, full.code], ['unavailable', 'disk-full'])
  const bug = new TypeError('bug')
  assert.equal(spoolFault(bug), bug)
})

test('one write goes on while the next is gathered, and who is faster than the disk waits', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-cuts-'))
  await using stack = new AsyncDisposableStack()
  stack.defer(() => rm(folder, { recursive: true, force: true }))
  await using spool = openSpool(folder)
  const pieces = Array.from({ length: 4 }, (_, at) => Buffer.alloc(1_048_576, at))
  const file = spool.newFile(5_000_000)
  const waits: boolean[] = []
  for (const piece of pieces) {
    file.write(piece)
    const waiting = file.flush()
    waits.push(waiting !== undefined)
    await waiting
  }
  // The first has not even got its file when the second is there. After that it is the disk's to say.
  assert.deepEqual(waits.slice(0, 2), [false, true])
  const { path, sizeBytes, md5 } = await file.finish()
  assert.deepEqual([sizeBytes, md5], [4_194_304, hash('md5', Buffer.concat(pieces))])
  assert.deepEqual(await readFile(path), Buffer.concat(pieces))

  // What a write in the background meets is told to who flushes next.
  const lost = spool.newFile(5_000_000)
  lost.write(Buffer.alloc(1_048_576))
  await rm(spool.folder, { recursive: true })
  assert.equal(lost.flush(), undefined)
  lost.write(Buffer.alloc(1_048_576))
  await assert.rejects(async () => lost.flush(), { code: 'storage-unavailable' })
})

test('many uploads at once do not mix', async () => {
  await using reader = await startReader()
  const sends = Array.from({ length: 20 }, async (_, index) => {
    const bytes = Buffer.alloc(50_000 + index, index)
    const { type, body } = Object.values(bodies(bytes))[index % 4] ?? assert.fail()
    const answer = await fetch(`http://127.0.0.1:${reader.port}/`, {
      method: 'POST',
      headers: { 'content-type': type },
      body,
    })
    const { sizeBytes, md5 } = (await answer.json()) as Outcome
    return { sizeBytes, md5, index }
  })
  const outcomes = await Promise.all(sends)
  for (const { sizeBytes, index } of outcomes) assert.equal(sizeBytes, 50_000 + index)
  assert.equal(new Set(outcomes.map(({ md5 }) => md5)).size, 20)
  assert.deepEqual(await reader.left(), [])
})
