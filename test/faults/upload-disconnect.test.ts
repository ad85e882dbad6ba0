import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { sendRequest, startTestApp, type TestApp } from '../support/harness.ts'
import { freshInstallation } from '../support/tool.ts'
import { until } from '../support/until.ts'
import { multipartOf, noise, onSiteOf, type TestTenant, uploaded } from '../support/uploads.ts'

const stepBytes = 4_096

/** Head and body of an upload, as they go over the wire. */
interface Message {
  head: string
  body: Buffer
}

function messageOf(host: string, key: string, { type, bytes }: { type: string; bytes: Buffer }): Message {
  const lines = [
    'POST /api/1/upload HTTP/1.1',
    `Host: ${host}`,
    `X-API-Key: ${key}`,
    `Content-Type: ${type}`,
    `Content-Length: ${bytes.length}`,
    'Connection: close',
    '',
    '',
  ]
  return { head: lines.join('\r\n'), body: bytes }
}

const fileForm = (picture: Buffer) => multipartOf([{ name: 'source', value: picture, fileName: 'cat.png' }])

const base64Form = (picture: Buffer) => ({
  type: 'application/x-www-form-urlencoded',
  bytes: Buffer.from(`source=${encodeURIComponent(picture.toString('base64'))}`),
})

/** Connects and sends the head and that many bytes; resolves when the system has taken them. */
async function sendPart(port: number, { head, body }: Message, sizeBytes: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1')
  // Whoever leaves in the middle may be told so by a reset.
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  await new Promise((sent) =>
    socket.write(Buffer.concat([Buffer.from(head), body.subarray(0, sizeBytes)]), sent),
  )
  return socket
}

describe('a client that goes away in the middle of an upload', () => {
  let app: TestApp
  let cats: TestTenant
  const messages: Record<string, Message> = {}
  const openFiles = () => readdirSync('/proc/self/fd').length
  const spooled = () => readdirSync(join(app.dataDir, 'spool'))

  beforeAll(async () => {
    app = await startTestApp()
    cats = await app.tenant('cats')
    const picture = await noise(220, 170)
    messages.multipart = messageOf(cats.hostname, cats.apiKey, fileForm(picture))
    messages.base64 = messageOf(cats.hostname, cats.apiKey, base64Form(picture))
    // Opens what stays open: the database, the decoder.
    await uploaded(app, cats)
  })
  afterAll(() => app?.[Symbol.asyncDispose]())

  const ways: Record<string, (socket: Socket) => unknown> = {
    'closes the connection': (socket) => socket.destroy(),
    'resets the connection': (socket) => socket.resetAndDestroy(),
    'ends its side and waits': (socket) => socket.end(),
  }
  for (const kind of ['multipart', 'base64']) {
    for (const [way, leave] of Object.entries(ways)) {
      test(`leaves nothing behind, at every 4 kB: ${kind}, ${way}`, async () => {
        const message = messages[kind] as Message
        const before = { files: await filesOf(), fds: openFiles() }
        const sizes = Array.from(
          { length: Math.ceil(message.body.length / stepBytes) },
          (_, n) => n * stepBytes,
        )
        for (let index = 0; index < sizes.length; index += 8) {
          const some = sizes.slice(index, index + 8)
          const sockets = await Promise.all(some.map((size) => sendPart(app.port, message, size)))
          await until(() => spooled().length === some.length, 'all of them are being read')
          for (const socket of sockets) leave(socket)
          await Promise.all(sockets.map((socket) => socket.destroyed || once(socket.resume(), 'close')))
          await until(() => spooled().length === 0, 'the spool is empty')
        }
        await until(() => openFiles() <= before.fds, 'all files are closed')
        assert.equal(await filesOf(), before.files)
        await uploaded(app, cats)
      })
    }
  }

  test('holds no one up while it says nothing, and leaves nothing behind when it goes', async () => {
    const fds = openFiles()
    const message = messages.multipart as Message
    const silent = await Promise.all(
      Array.from({ length: 20 }, () => sendPart(app.port, message, message.body.length / 2)),
    )
    await until(() => spooled().length === silent.length, 'all of them are being read')
    await uploaded(app, cats)
    for (const socket of silent) socket.destroy()
    await until(() => spooled().length === 0, 'the spool is empty')
    await until(() => openFiles() <= fds, 'all files are closed')
  })

  test('after the last byte leaves all of its upload or nothing', async () => {
    const before = await filesOf()
    const message = messages.multipart as Message
    const socket = await sendPart(app.port, message, message.body.length)
    socket.destroy()
    await until(() => spooled().length === 0, 'the spool is empty')
    const { stats } = (await app.call('GET', `tenants/${cats.id}`)).json
    assert.equal(stats.files, await filesOf())
    assert.ok([0, 1].includes((await filesOf()) - before))
  })

  const filesOf = () =>
    onSiteOf(app, cats, async ({ db }) => (await db.selectFrom('file').select('id').execute()).length)
})

test('a server that stops finishes the uploads that it is reading', async () => {
  await using installation = await freshInstallation()
  await using served = await installation.serve()
  const key = /Upload key +(\S+)/.exec(served.text)?.[1] ?? ''
  const message = messageOf('localhost', key, fileForm(await noise(220, 170)))
  const half = Math.floor(message.body.length / 2)
  const sockets = await Promise.all(Array.from({ length: 6 }, () => sendPart(served.port, message, half)))
  const spool = join(installation.dataDir, 'spool')
  await until(() => readdirSync(spool).length === sockets.length, 'all of them are being read')

  served.process.kill('SIGTERM')
  await until(() => isRefused(served.port), 'nobody else is heard')
  const answers = await Promise.all(
    sockets.map((socket) => {
      socket.write(message.body.subarray(half))
      return text(socket)
    }),
  )
  for (const answer of answers) assert.match(answer, /^HTTP\/1.1 200 /)
  assert.equal(await served.ended(), 0)
  assert.deepEqual(readdirSync(spool), [])

  await using again = await installation.serve()
  for (const answer of answers) {
    const { image } = JSON.parse(answer.slice(answer.indexOf('{'), answer.lastIndexOf('}') + 1))
    const { pathname } = new URL(image.url)
    const { status } = await sendRequest(again.port, 'GET', pathname, { headers: { host: 'localhost' } })
    assert.equal(status, 200)
  }
})

async function isRefused(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  const outcome = await Promise.race([once(socket, 'connect'), once(socket, 'error')]).catch(() => undefined)
  socket.destroy()
  return outcome === undefined
}
