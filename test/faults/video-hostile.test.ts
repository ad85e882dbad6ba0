import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { promisify } from 'node:util'
import { describe, test } from 'vitest'
import { kindsByName } from '../../src/imaging/kinds/index.ts'
import { type FrameTool, takeFrame } from '../../src/imaging/video/program/take-frame.ts'
import { attackFiles, box, disguised } from '../support/fixtures/video-attacks.ts'
import {
  FRAME_MAKERS,
  ffmpegPath,
  h264,
  keep,
  moving,
  plainMp4,
  plainWebm,
  sound,
  videoOf,
} from '../support/fixtures/videos.ts'
import { startTestApp, type TestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { refusalOf, statsOf, type TestTenant, upload, uploaded } from '../support/uploads.ts'

const minutes = { timeout: 180_000 }
const broken = [400, 610, 'The file is broken or incomplete and cannot be read.']

const numberOf = async (app: TestApp, tenant: TestTenant, file: Buffer) =>
  refusalOf(await upload(app, tenant, { file, fileName: 'video.mp4' })).slice(0, 2)

/** Where a box's data begins, found by its name. */
const at = (video: Buffer, name: string) => {
  const place = video.indexOf(name, 0, 'latin1')
  assert.notEqual(place, -1, `there is no ${name}`)
  return place + 4
}

function changed(video: Buffer, change: (copy: Buffer) => void): Buffer {
  const copy = Buffer.from(video)
  change(copy)
  return copy
}

for (const { by, environment, needed } of FRAME_MAKERS) {
  needed.describe(`frames ${by}:`, () => {
    describe('a video that was cut off is refused, wherever it was cut:', () => {
      const videos: Record<string, () => Promise<Buffer>> = {
        'an MP4 with its index in front': plainMp4,
        'an MP4 with its index at the end': () =>
          videoOf('late.mp4', ...moving(), ...sound(), ...h264, '-c:a', 'aac'),
        'a MOV': () => videoOf('cut.mov', ...moving(), ...h264),
        'a WebM': plainWebm,
      }
      for (const [name, make] of Object.entries(videos)) {
        test(name, minutes, async () => {
          await using app = await startTestApp({ environment })
          const cats = await app.tenant('cats')
          const video = await make()
          const parts = [0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99]
          const lengths = [
            ...parts.map((part) => Math.floor(video.length * part)),
            video.length - 8,
            video.length - 1,
          ]
          for (const length of [40, 60, 100, ...lengths]) {
            const answer = refusalOf(await upload(app, cats, { file: video.subarray(0, length) }))
            assert.deepEqual(answer.slice(0, 2), [400, 610], `${length} of ${video.length}: ${answer}`)
          }
          assert.equal((await uploaded(app, cats, { file: video })).type, 'video')
          assert.equal((await statsOf(app, cats)).files, 1)
        })
      }
    })

    describe('a video that lies about itself:', () => {
      test('that it lasts for ever, or not at all', minutes, async () => {
        await using app = await startTestApp({ environment })
        const cats = await app.tenant('cats')
        const video = await plainMp4()
        // In the headers alone: its pictures tell how long it is.
        for (const value of [0, 0xffffffff]) {
          const file = changed(video, (copy) => {
            copy.writeUInt32BE(value, at(copy, 'mvhd') + 16)
            copy.writeUInt32BE(value, at(copy, 'tkhd') + 20)
            copy.writeUInt32BE(value, at(copy, 'mdhd') + 16)
          })
          assert.equal((await uploaded(app, cats, { file })).duration, 2, String(value))
        }
        // In the table of its pictures.
        const lasting = (each: number) =>
          changed(video, (copy) => copy.writeUInt32BE(each, at(copy, 'stts') + 12))
        const none = refusalOf(await upload(app, cats, { file: lasting(0) }))
        assert.deepEqual(none, [400, 610, 'The video has no duration.'])
        const [status, number, message] = refusalOf(await upload(app, cats, { file: lasting(0x7fffffff) }))
        assert.deepEqual([status, number], [400, 610])
        assert.match(String(message), /^The video lasts \d{6,} seconds, the limit is 21600\.$/)

        const webm = await plainWebm()
        for (const seconds of [0, 2 ** 63, Number.NaN, -1, Number.POSITIVE_INFINITY]) {
          const file = changed(webm, (copy) =>
            copy.writeDoubleBE(seconds, copy.indexOf(Buffer.from([0x44, 0x89, 0x88])) + 3),
          )
          const { status, json } = await upload(app, cats, { file })
          assert.ok(status === 400 || (status === 200 && json.image.duration === 2), `${seconds}: ${status}`)
        }
        const counting = changed(video, (copy) => copy.writeUInt32BE(0xffffffff, at(copy, 'stts') + 8))
        assert.deepEqual(await numberOf(app, cats, counting), [400, 610])
      })

      test('that it has no streams, or ten thousand', minutes, async () => {
        await using app = await startTestApp({ environment })
        const cats = await app.tenant('cats')
        const video = await videoOf('one-track.mp4', ...moving(), ...h264)
        const none = changed(video, (copy) => copy.write('free', at(copy, 'trak') - 4, 'latin1'))
        const noPictures = [400, 610, 'The video has no pictures: there is no video track in it.']
        assert.deepEqual(refusalOf(await upload(app, cats, { file: none })), noPictures)

        const videoAt = at(video, 'moov') - 8
        const trackAt = at(video, 'trak') - 8
        const track = video.subarray(trackAt, trackAt + video.readUInt32BE(trackAt))
        const inside = video.subarray(videoAt + 8, videoAt + video.readUInt32BE(videoAt))
        const many = (count: number) =>
          Buffer.concat([
            video.subarray(0, videoAt),
            box('moov', inside, ...Array<Buffer>(count).fill(track)),
          ])
        const tooMany = [400, 610, 'The video has 10001 streams, the limit is 64.']
        assert.deepEqual(refusalOf(await upload(app, cats, { file: many(10_000) })), tooMany)
        assert.deepEqual((await upload(app, cats, { file: many(5) })).status, 200)
      })

      test('that its pictures are larger than any', minutes, async () => {
        await using app = await startTestApp({ environment: { ...environment, SERVICE_MAX_PIXELS: '70000' } })
        const cats = await app.tenant('cats')
        const tooLarge = [400, 610, 'A frame of the video has 76800 pixels, the limit is 70000.']
        for (const file of [await plainMp4(), await plainWebm()])
          assert.deepEqual(refusalOf(await upload(app, cats, { file })), tooLarge)

        const claiming = changed(await plainMp4(), (copy) =>
          copy.writeUInt32BE(0xffffffff, at(copy, 'avc1') + 24),
        )
        assert.deepEqual(await numberOf(app, cats, claiming), [400, 610])
        const webm = await plainWebm()
        const wide = changed(webm, (copy) =>
          copy.writeUInt16BE(0xffff, copy.indexOf(Buffer.from([0xb0, 0x82])) + 2),
        )
        assert.deepEqual(await numberOf(app, cats, wide), [400, 610])
        const pictureless = changed(webm, (copy) =>
          copy.writeUInt16BE(0, copy.indexOf(Buffer.from([0xb0, 0x82])) + 2),
        )
        assert.deepEqual(await numberOf(app, cats, pictureless), [400, 610])
      })

      test('with pictures that nothing can decode', minutes, async () => {
        await using app = await startTestApp({ environment })
        const cats = await app.tenant('cats')
        const video = await plainMp4()
        const file = changed(video, (copy) => copy.fill(0x55, at(copy, 'mdat')))
        assert.deepEqual(refusalOf(await upload(app, cats, { file })), broken)
        // Only the first picture is left: it is the frame then.
        const start = at(video, 'mdat')
        const half = changed(video, (copy) => copy.fill(0, start + Math.floor((video.length - start) * 0.6)))
        assert.equal((await uploaded(app, cats, { file: half })).chain, 21)
      })

      test('with any of its bytes changed: taken or refused, and never more', minutes, async () => {
        await using app = await startTestApp({ environment })
        const cats = await app.tenant('cats')
        for (const video of [await plainMp4(), await plainWebm()]) {
          let state = 7
          const next = (below: number) => {
            state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
            return state % below
          }
          for (let round = 0; round < 40; round += 1) {
            const file = changed(video, (copy) => {
              const head = video.length > 40_000 ? 2_000 : video.length
              for (let times = 0; times <= round % 8; times += 1) copy[32 + next(head - 32)] = next(256)
            })
            const { status, text } = await upload(app, cats, { file })
            assert.ok(status === 200 || status === 400, `${status}: ${text}`)
          }
        }
      })
    })

    describe('a file that would make ffmpeg reach out', () => {
      test('is refused, plain and disguised, and no server is asked', minutes, async () => {
        await using canary = await startCanary()
        await using app = await startTestApp({ environment })
        const cats = await app.tenant('cats')
        const attacks = attackFiles('/etc/passwd', canary.url)
        assert.equal(Object.keys(attacks).length, 8)
        for (const [name, attack] of Object.entries(attacks)) {
          assert.deepEqual(await numberOf(app, cats, attack), [400, 612], name)
          for (const [place, file] of Object.entries(disguised(attack)))
            assert.deepEqual(await numberOf(app, cats, file), [400, 610], `${name} ${place}`)
        }
        assert.equal(canary.asked(), 0)
      })
    })
  })
}

const tracedProgram = await needing('video libraries', 'ffmpeg', 'strace')

describe('a file that would make ffmpeg reach out', () => {
  tracedProgram.test(
    'gets nothing from ffmpeg itself, which opens and reaches nothing else',
    // Some 300 processes, each looked at call by call.
    { timeout: 600_000 },
    async () => {
      await using canary = await startCanary()
      const folder = mkdtempSync(join(tmpdir(), 'terrace-reach-'))
      const log = join(folder, 'trace')
      const strace = `/usr/bin/strace --seccomp-bpf -f -qq -A -o ${log} -e trace=open,openat,connect,socket`
      const traced = keep('traced', `#!/bin/sh\nexec ${strace} ${ffmpegPath} "$@"\n`, 0o700)
      const seen = () => {
        const text = readFileSync(log, 'utf8')
        rmSync(log)
        const opened = [...text.matchAll(/open(?:at)?\((?:AT_FDCWD, )?"([^"]*)"/g)].map(([, path = '']) =>
          resolve(dirname(folder), path),
        )
        return {
          opened: new Set(opened.filter((path) => !isOfTheSystem(path))),
          connects: /connect\(|AF_INET/.test(text),
        }
      }
      const tool: FrameTool = {
        ffmpeg: { path: traced, from: 'FFMPEG_PATH', version: '' },
        // Nothing but its own options keeps it in here.
        confinement: { prefix: [], missing: [], ownId: undefined, hasNetwork: true, hasMemoryLimit: false },
        maxSeconds: 30,
        maxWallSeconds: 90,
        maxMemoryBytes: 2e9,
        signal: new AbortController().signal,
      }
      const video = { width: 320, height: 240, durationSeconds: 2, takenAt: undefined }
      const ask = { outputFolder: folder, video, maxPixels: 1e8 }
      const secret = keep('secret.mp4', await plainMp4())
      for (const attack of Object.values(attackFiles(secret, canary.url))) {
        for (const file of [attack, ...Object.values(disguised(attack))]) {
          const path = keep('attack', file)
          for (const name of ['mp4', 'webm'] as const) {
            const taking = takeFrame(tool, { ...ask, path, kind: kindsByName[name] })
            await assert.rejects(taking, { code: 'not-decodable' })
          }
          assert.deepEqual(seen(), { opened: new Set([path]), connects: false })
        }
      }
      assert.equal(canary.asked(), 0)

      // Were it not kept from it, it would: so that this could be seen.
      const path = keep('list.m3u8', attackFiles(secret, canary.url)['an HLS playlist of addresses'] ?? '')
      const words = ['-nostdin', '-protocol_whitelist', 'file,http,tcp', '-i', path, '-f', 'null', '-']
      await promisify(execFile)(traced, words, { timeout: 20_000 }).catch(() => undefined)
      assert.equal(seen().connects, true)
      const frame = await takeFrame(tool, { ...ask, path: secret, kind: kindsByName.mp4 })
      assert.deepEqual(seen(), { opened: new Set([secret, frame]), connects: false })
    },
  )
})

/** What any program opens that starts. */
const isOfTheSystem = (path: string) =>
  /^\/(?:lib|lib64|usr\/lib|proc|sys|dev\/(?:null|urandom))(?:\/|$)|^\/etc\/(?:ld\.so|gcrypt\/)/.test(path)

async function startCanary() {
  let count = 0
  const server = createServer((_request, response) => response.end()).on('connection', () => (count += 1))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    asked: () => count,
    [Symbol.asyncDispose]: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
