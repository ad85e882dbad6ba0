import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { json } from 'node:stream/consumers'
import { describe } from 'vitest'
import { box } from '../support/fixtures/video-attacks.ts'
import { FRAME_MAKERS, h264, moving, videoOf } from '../support/fixtures/videos.ts'
import { startChildServer } from '../support/servers/child-server.ts'
import { freshInstallation } from '../support/tool.ts'
import { until } from '../support/until.ts'

const largeBytes = 500_000_000
const chunk = Buffer.alloc(1_048_576, 7)

/** What a process holds now. */
const residentOf = (pid: number) =>
  1024 * Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1'))?.[1])

describe.for(FRAME_MAKERS)('frames $by:', ({ environment, needed }) => {
  needed.test(
    'a video of 500 MB passes through in pieces, its index moved to the front',
    { timeout: 300_000 },
    async () => {
      const limits = { SERVICE_MAX_UPLOAD_SIZE: '2G', SERVICE_LOG_LEVEL: 'error', SERVICE_DEMO: '1' }
      await using installation = await freshInstallation('sqlite', limits)
      await using server = await startChildServer({ ...installation.settings, ...limits, ...environment })
      await until(() => /Upload key\s+\S+/.test(server.output()), 'the key is shown')
      const [, key = ''] = /Upload key\s+(\S+)/.exec(server.output()) ?? []
      await installation.run('site', '--tenant', 'demo', 'setting:set', 'max_file_size_user', '1G')

      const film = await videoOf('small.mp4', ...moving(), ...h264)
      const indexAt = film.indexOf('moov', 0, 'latin1') - 4
      assert.ok(indexAt > film.indexOf('mdat', 0, 'latin1'), 'the index is at the end')
      const filled = function* (bytes: number) {
        yield film.subarray(0, indexAt)
        const filling = box('free', Buffer.alloc(0))
        filling.writeUInt32BE(8 + bytes)
        yield filling
        for (let left = bytes; left > 0; left -= chunk.length) yield chunk.subarray(0, left)
        yield film.subarray(indexAt)
      }
      const pid = server.child.pid ?? 0
      const peakOf = async (bytes: number) => {
        let most = 0
        const look = setInterval(() => {
          most = Math.max(most, residentOf(pid))
        }, 20)
        const { image } = await send(server.port, key, filled(bytes))
        clearInterval(look)
        return { image, most }
      }
      // As it runs in service: whatever a server holds for any upload, it holds now.
      await peakOf(60_000_000)
      const small = await peakOf(60_000_000)
      // Memory that is freed is given back at no certain time: of three uploads the one that shows the least counts.
      let { image, most } = await peakOf(largeBytes)
      for (let tries = 1; tries < 3 && most - small.most >= 30_000_000; tries += 1)
        ({ image, most } = await peakOf(largeBytes))
      assert.deepEqual([image.type, image.duration, image.width, image.chain], ['video', 2, 320, 21])
      assert.ok(image.size > largeBytes)
      assert.notEqual(image.source_md5, null)
      assert.notEqual(image.md5, image.source_md5)
      const grown = most - small.most
      console.info(
        `Beyond what one of 60 MB takes, the memory of the server grew by ${(grown / 1e6).toFixed(1)} MB.`,
      )
      assert.ok(grown < 30_000_000, `${grown} bytes`)

      const start = await bytesOf(image.url, server.port, 'bytes=0-99999')
      const ends = [start.indexOf('moov', 0, 'latin1'), start.indexOf('mdat', 0, 'latin1')]
      assert.ok(
        ends[0] !== -1 && (ends[1] === -1 || Number(ends[0]) < Number(ends[1])),
        'the index is in front now',
      )
    },
  )
})

async function send(port: number, key: string, parts: Iterable<Buffer>): Promise<any> {
  const boundary = 'a-boundary'
  const sending = request({
    host: '127.0.0.1',
    port,
    method: 'POST',
    path: '/api/1/upload',
    headers: {
      host: 'localhost',
      'x-api-key': key,
      'content-type': `multipart/form-data; boundary=${boundary}`,
    },
  })
  const answer = once(sending, 'response')
  sending.write(`--${boundary}\r\nContent-Disposition: form-data; name="source"; filename="film.mp4"\r\n\r\n`)
  for (const part of parts) if (!sending.write(part)) await once(sending, 'drain')
  sending.end(`\r\n--${boundary}--\r\n`)
  const [response] = await answer
  const body: any = await json(response)
  assert.equal(response.statusCode, 200, JSON.stringify(body))
  return body
}

async function bytesOf(url: string, port: number, range: string): Promise<Buffer> {
  const { pathname } = new URL(url)
  const answer = await fetch(`http://localhost:${port}${pathname}`, { headers: { range } })
  assert.equal(answer.status, 206)
  return Buffer.from(await answer.arrayBuffer())
}
