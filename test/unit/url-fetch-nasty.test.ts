import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { describe, test } from 'vitest'
import type { FetchTimes } from '../../src/http/uploads/source/fetch-url.ts'
import {
  listen,
  page,
  REFUSED,
  redirect,
  refusedFetch,
  SHORT,
  say,
  tryFetch,
} from '../support/servers/url-fetch-tools.ts'
import { startStopwatch } from '../support/stopwatch.ts'

const TOO_BIG = {
  kind: 'too-large',
  code: 'file-too-big',
  message: 'File too big - max 1 MB',
  list: ['File too big - max 1 MB'],
}
const OK = 'HTTP/1.1 200 OK\r\n'
const CHUNKED = `${OK}Transfer-Encoding: chunked\r\n\r\n`

type Nasty = (socket: Socket) => void

/** Says the same again and again, for as long as somebody listens. */
const flood =
  (start: string, more: string | Buffer): Nasty =>
  (socket) => {
    socket.once('data', () => {
      socket.write(start)
      const pour = () => {
        while (socket.writable && socket.write(more));
      }
      socket.on('drain', pour)
      pour()
    })
  }

const trickle =
  (start: string, more: string): Nasty =>
  (socket) => {
    socket.once('data', () => {
      socket.write(start)
      const timer = setInterval(() => socket.write(more), 20)
      socket.on('close', () => clearInterval(timer))
    })
  }

const reset =
  (start: string): Nasty =>
  (socket) => {
    socket.once('data', () => socket.write(start, () => setTimeout(() => socket.resetAndDestroy(), 20)))
  }

const MANY = Buffer.alloc(65_536, 'x')

/** Servers that fall silent: they are given up long before the whole time is over. */
const silent: Record<string, Nasty> = {
  'never says anything': () => {},
  'stops after half a status line': say('HTTP/1.1 20', { stay: true }),
  'stops within the headers': say(`${OK}Content-Type: image/png\r\n`, { stay: true }),
  'stops before the body': say(`${OK}Content-Length: 9\r\n\r\n`, { stay: true }),
  'stops within the body': say(`${OK}Content-Length: 9\r\n\r\nabc`, { stay: true }),
  'stops within a chunk': say(`${CHUNKED}9\r\nabc`, { stay: true }),
  'stops before the last chunk': say(`${CHUNKED}3\r\nabc\r\n`, { stay: true }),
  'stops before the end of the connection': say('HTTP/1.0 200 OK\r\n\r\nabc', { stay: true }),
  'promises to go on and does not': say('HTTP/1.1 100 Continue\r\n\r\n', { stay: true }),
}

/** Servers that are never silent and never done. */
const slow: Record<string, Nasty> = {
  'drips a header': trickle(`${OK}X: `, 'y'),
  'drips headers': trickle(OK, 'X: y\r\n'),
  'drips a body': trickle(`${OK}Content-Length: 100000\r\n\r\n`, 'x'),
  'drips chunks': trickle(CHUNKED, '1\r\nx\r\n'),
  'drips without an end': trickle(`${OK}\r\n`, 'x'),
}

/** Servers with no end: they must be stopped by their bytes. */
const endless: Record<string, [Nasty, object]> = {
  'a body without an end': [flood(`${OK}\r\n`, MANY), TOO_BIG],
  'chunks without an end': [flood(CHUNKED, `10000\r\n${MANY}\r\n`), TOO_BIG],
  'a body of the length of an exabyte': [
    flood(`${OK}Content-Length: 1000000000000000000\r\n\r\n`, MANY),
    TOO_BIG,
  ],
  'a length beyond all numbers': [flood(`${OK}Content-Length: ${'9'.repeat(30)}\r\n\r\n`, MANY), REFUSED],
  'one chunk without an end': [flood(`${CHUNKED}ffffffffffff\r\n`, MANY), TOO_BIG],
  'a header line without an end': [flood(`${OK}X: `, MANY), REFUSED],
  'headers without an end': [flood(OK, 'X-Many: y\r\n'.repeat(1000)), REFUSED],
  'a status line without an end': [flood('HTTP/1.1 200 ', MANY), REFUSED],
  'a chunk extension without an end': [flood(`${CHUNKED}1;x=`, MANY), REFUSED],
  'a chunk size without an end': [flood(CHUNKED, '0'.repeat(65_536)), REFUSED],
  'trailers without an end': [flood(`${CHUNKED}1\r\nx\r\n0\r\n`, 'X-Many: y\r\n'.repeat(1000)), REFUSED],
  'interim answers without an end': [
    flood('', 'HTTP/1.1 103 Early Hints\r\nLink: </x>\r\n\r\n'.repeat(100)),
    REFUSED,
  ],
  'noise without an end': [flood('', MANY), REFUSED],
}

/** Servers that do not speak the protocol. */
const wrong: Record<string, Nasty> = {
  'closes at once': (socket) => socket.end(),
  'resets at once': (socket) => socket.resetAndDestroy(),
  'closes when asked': say(''),
  'closes within the status line': say('HTTP/1.1 2'),
  'closes within the headers': say(`${OK}Content-Le`),
  'closes within the body': say(`${OK}Content-Length: 9\r\n\r\nabc`),
  'closes within a chunk': say(`${CHUNKED}9\r\nabc`),
  'closes before the last chunk': say(`${CHUNKED}3\r\nabc\r\n`),
  'resets within the headers': reset(`${OK}Content-Le`),
  'resets within the body': reset(`${OK}Content-Length: 9\r\n\r\nabc`),
  'resets within a body without length': reset('HTTP/1.0 200 OK\r\n\r\nabc'),
  'sends more than it said': say(`${OK}Content-Length: 3\r\n\r\nabcdef`),
  'sends more than no bytes': say(`${OK}Content-Length: 0\r\n\r\nabcdef`),
  'speaks HTTP/0.9': say('<html>hello</html>'),
  'has no status line': say('Content-Length: 3\r\n\r\nabc'),
  'has a status without a number': say('HTTP/1.1 OK\r\nContent-Length: 3\r\n\r\nabc'),
  'speaks HTTP/2': say(Buffer.from('0000120400000000000003000000640004', 'hex')),
  'speaks HTTP/9.9': say('HTTP/9.9 200 OK\r\nContent-Length: 3\r\n\r\nabc'),
  'speaks SSH first': (socket) => socket.end('SSH-2.0-OpenSSH_9.9\r\n'),
  'answers before it is asked, with noise': (socket) => socket.end(Buffer.alloc(1000, 7)),
  'has a header line of 1 MB': say(page('abc', `X: ${'y'.repeat(1_000_000)}\r\n`)),
  'has 20,000 headers': say(page('abc', 'X: y\r\n'.repeat(20_000))),
  'has a header with a NUL': say(page('abc', 'X: a\0b\r\n')),
  'has a header without a name': say(page('abc', ': x\r\n')),
  'has a folded length': say(`${OK}Content-Length:\r\n 3\r\nContent-Length: 4\r\n\r\nabc`),
  'has the same length twice': say(page('abc', 'Content-Length: 3\r\n')),
  'has two lengths': say(`${OK}Content-Length: 3\r\nContent-Length: 4\r\n\r\nabcd`),
  'has a negative length': say(`${OK}Content-Length: -3\r\n\r\nabc`),
  'has a length in hexadecimal': say(`${OK}Content-Length: 0x3\r\n\r\nabc`),
  'has a length and chunks': say(`${OK}Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`),
  'has a chunk of a negative size': say(`${CHUNKED}-3\r\nabc\r\n0\r\n\r\n`),
  'has a chunk larger than all numbers': say(`${CHUNKED}${'f'.repeat(20)}\r\nabc\r\n0\r\n\r\n`),
  'has chunks that run together': say(`${CHUNKED}3\r\nabcd\r\n0\r\n\r\n`),
  'switches protocols': say('HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\nabc', {
    stay: true,
  }),
}

/** Answers that say by a header that their bytes are not the file's. */
const encodings = [
  'gzip',
  'GZIP',
  'br',
  'deflate',
  'zstd',
  'compress',
  'identity, gzip',
  'gzip, identity',
  'x-gzip',
  'aes128gcm',
].map((encoding) => `Content-Encoding: ${encoding}\r\n`)

/** The file must be refused, before the time is over. */
async function face(
  nasty: Nasty,
  expected: object,
  times: Partial<FetchTimes> = SHORT,
): Promise<{ bytesWritten: number; milliseconds: number }> {
  let written = () => 0
  await using server = await listen((socket) => {
    written = () => socket.bytesWritten
    nasty(socket)
  })
  using watch = startStopwatch()
  await refusedFetch(server.url(), { allow: server.allow, times }, expected)
  return { bytesWritten: written(), milliseconds: watch.ms() }
}

describe('a server is given up in time when it', () => {
  for (const [name, nasty] of Object.entries(silent)) {
    test.concurrent(name, async () => {
      const { milliseconds } = await face(nasty, REFUSED, { ...SHORT, totalMs: 60_000 })
      assert.ok(milliseconds < SHORT.idleMs + 1000, `${milliseconds} ms`)
    })
  }
  for (const [name, nasty] of Object.entries(slow)) {
    test.concurrent(name, async () => {
      const { milliseconds } = await face(nasty, REFUSED)
      assert.ok(milliseconds < SHORT.totalMs + 1000, `${milliseconds} ms`)
    })
  }
})

describe('a server without an end is stopped that sends', () => {
  for (const [name, [nasty, expected]] of Object.entries(endless)) {
    test(name, async () => {
      const { bytesWritten, milliseconds } = await face(nasty, expected)
      assert.ok(milliseconds < SHORT.totalMs + 1000, `${milliseconds} ms`)
      // What the system itself holds on the way comes on top of the limit.
      assert.ok(bytesWritten < 16_000_000, `${bytesWritten} bytes`)
    })
  }
})

test('a length beyond the limit is refused before the first byte of it', async () => {
  await face(say(`${OK}Content-Length: 1000001\r\n\r\n`, { stay: true }), TOO_BIG)
})

test('the connection is closed with the refusal', async () => {
  const answers = [page('abc').replace('200', '404'), page('abc', 'Content-Encoding: gzip\r\n')]
  for (const answer of [
    ...answers,
    `${OK}Content-Length: 1000001\r\n\r\n`,
    redirect(302, 'file:///etc/passwd'),
  ]) {
    const { promise: closed, resolve } = Promise.withResolvers<void>()
    await using server = await listen((socket) => {
      socket.on('close', () => resolve())
      say(answer, { stay: true })(socket)
    })
    const { error } = await tryFetch(server.url(), { allow: server.allow, times: {} })
    assert.ok(error)
    await closed
  }
})

describe('a server is refused that', () => {
  for (const [name, nasty] of Object.entries(wrong)) test(name, () => face(nasty, REFUSED))
})

test('bytes that are packed are refused, even where they would unpack to little', async () => {
  const body = gzipSync(Buffer.alloc(10_000_000)).toString('latin1')
  for (const head of encodings) await face(say(Buffer.from(page(body, head), 'latin1')), REFUSED)
  for (const coding of ['gzip', 'gzip, chunked', 'chunked, gzip', 'identity', 'chunked, chunked']) {
    await face(say(`${OK}Transfer-Encoding: ${coding}\r\n\r\n3\r\nabc\r\n0\r\n\r\n`), REFUSED)
  }
})

test('every status but 200 is refused', async () => {
  for (const status of [
    199, 201, 202, 203, 204, 205, 206, 226, 304, 400, 401, 403, 404, 407, 410, 416, 418, 429,
  ]) {
    await face(say(page('abc').replace('200', String(status)), { stay: true }), REFUSED)
  }
  for (const status of [500, 502, 503, 504, 599, 999])
    await face(say(page('abc').replace('200', `${status}`)), REFUSED)
})

const fine: Record<string, string> = {
  'a length': page('abc'),
  chunks: `${CHUNKED}1\r\na\r\n2;x=y\r\nbc\r\n0\r\nX-Sum: 1\r\n\r\n`,
  'the end of the connection': 'HTTP/1.0 200 OK\r\n\r\nabc',
  'the encoding identity': page('abc', 'Content-Encoding: Identity\r\n'),
  'an empty encoding': page('abc', 'Content-Encoding:\r\n'),
  'no reason': page('abc').replace(' OK', ''),
  'an interim answer': `HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\n\r\n${page('abc')}`,
}

test.for(Object.entries(fine))('an answer with %s is taken', async ([, answer]) => {
  await using server = await listen(say(answer))
  const { file } = await tryFetch(server.url(), { allow: server.allow })
  assert.equal(file?.sizeBytes, 3)
})

test('memory does not grow with what is sent', async () => {
  const before = process.memoryUsage().rss
  for (const [nasty, expected] of Object.values(endless)) await face(nasty, expected)
  assert.ok(process.memoryUsage().rss - before < 100_000_000)
})
