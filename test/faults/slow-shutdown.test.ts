import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { test } from 'vitest'
import { slowReader } from '../support/clients/slow-clients.ts'
import { sendRequest } from '../support/harness.ts'
import { freshInstallation } from '../support/tool.ts'
import { until } from '../support/until.ts'
import { multipartOf, noise } from '../support/uploads.ts'

test('a server that stops is not held up by clients that read or send nothing', async () => {
  await using installation = await freshInstallation()
  await using served = await installation.serve({ SERVICE_STOP_SECONDS: '1' })
  const key = /Upload key +(\S+)/.exec(served.text)?.[1] ?? ''
  const { type, bytes } = multipartOf([
    { name: 'source', value: await noise(2200, 2200), fileName: 'long.png' },
  ])
  const headers = { host: 'localhost', 'x-api-key': key, 'content-type': type }
  const answer = await sendRequest(served.port, 'POST', '/api/1/upload', { bytes, headers })
  const { url } = answer.json.image

  const readers = await Promise.all(
    Array.from({ length: 30 }, () => slowReader({ port: served.port, url, headers: { host: 'localhost' } })),
  )
  await Promise.all(readers.map(({ begun }) => begun))
  const sender = connect(served.port, '127.0.0.1')
  sender.on('error', () => undefined)
  await once(sender, 'connect')
  const lines = Object.entries({ ...headers, 'content-length': bytes.length }).map((pair) => pair.join(': '))
  sender.write([`POST /api/1/upload HTTP/1.1`, ...lines, '', ''].join('\r\n'))
  sender.write(bytes.subarray(0, 1_000_000))
  const spool = join(installation.dataDir, 'spool')
  await until(() => readdirSync(spool).length === 1, 'the upload is being read')

  assert.equal(await served.ended('SIGTERM'), 0)
  assert.deepEqual(readdirSync(spool), [])
  for (const { socket } of readers) socket.destroy()
  sender.destroy()
})
