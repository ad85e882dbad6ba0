import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  chmodSync,
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { test } from 'vitest'
import { FFMPEG_PACKAGE, findFfmpeg, type ImagingOptions, startImaging } from '../../src/imaging/index.ts'
import { ask } from '../support/delivered.ts'
import { attackFiles, disguised } from '../support/fixtures/video-attacks.ts'
import {
  ffmpegPath,
  keep,
  moving,
  plainMp4,
  plainWebm,
  programmed,
  videoOf,
  videos,
} from '../support/fixtures/videos.ts'
import { startTestApp } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { until } from '../support/until.ts'
import { refusalOf, upload, uploaded } from '../support/uploads.ts'

const minutes = { timeout: 180_000 }
const real = () => createRequire(import.meta.url).resolve(`${FFMPEG_PACKAGE}/node-av.node`)

/** Where decoders find it: they see the packages, and of all other folders only that of their job. */
const packages = fileURLToPath(new URL('../../node_modules/.cache/', import.meta.url))
const count = JSON.stringify('job/attempts')

/** A package whose library does this when a file is opened; `attempt` counts from 1, over all processes. */
function fakePackage(script: string): string {
  mkdirSync(packages, { recursive: true })
  const folder = mkdtempSync(join(packages, 'terrace-library-'))
  chmodSync(folder, 0o755)
  mkdirSync(join(folder, 'node-av.node'))
  writeFileSync(
    join(folder, 'node-av.node/index.js'),
    `const fs = require('node:fs')
const av = { ...require(${JSON.stringify(real())}) }
const Opened = av.IOContext
av.IOContext = class {
  constructor() {
    fs.appendFileSync(${count}, 'x')
    const attempt = fs.readFileSync(${count}).length
    ${script}
    return new Opened()
  }
}
module.exports = av
`,
  )
  return folder
}

/** The job's folder comes back from the decoder with all that is in it. */
const attemptsIn = (folder: string) => readFileSync(join(folder, '0/attempts')).length

/** Imaging with one child, and what becomes of a video in it. */
async function withLibrary(
  script: string,
  options: ImagingOptions,
  use: (it: {
    imaging: ReturnType<typeof startImaging>
    examine(file: Buffer): Promise<unknown>
    folder: string
  }) => Promise<void>,
): Promise<void> {
  const packageName = fakePackage(script)
  const folder = mkdtempSync(join(tmpdir(), 'terrace-library-'))
  const decoders = join(folder, 'decoders')
  await using imaging = startImaging({ children: 1, ffmpeg: { packageName }, folder: decoders, ...options })
  let count = 0
  const examine = (file: Buffer) => {
    const outputFolder = join(folder, String(count++))
    mkdirSync(outputFolder)
    return imaging.examine(keep('video', file), { tenantKey: 'a', policy: 'keep', outputFolder })
  }
  await use({ imaging, examine, folder })
  for (const each of [folder, packageName]) rmSync(each, { recursive: true })
}

const picture = () =>
  sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
    .png()
    .toBuffer()

videos.describe('a library', () => {
  test('that crashes ends its child only: the next attempt gets another, and a frame', minutes, async () => {
    await withLibrary('if (attempt === 1) process.abort()', {}, async ({ imaging, examine, folder }) => {
      const video = await plainMp4()
      const seen: any = await examine(video)
      assert.deepEqual([seen.type, seen.frame?.width, attemptsIn(folder)], ['video', 320, 2])
      assert.equal(imaging.pids.length, 1)
    })
  })

  test(
    'that crashes at every attempt: the video is refused, and pictures are read after it',
    minutes,
    async () => {
      await withLibrary('process.abort()', {}, async ({ imaging, examine, folder }) => {
        await assert.rejects(examine(await plainMp4()), { kind: 'invalid', code: 'not-decodable' })
        assert.equal(attemptsIn(folder), 3)
        const seen: any = await examine(await picture())
        assert.deepEqual([seen.type, imaging.waiting, imaging.pids.length], ['image', 0, 1])
      })
    },
  )

  test('that hangs is killed with its child, and the next file gets its turn', minutes, async () => {
    const options = { maxFrameSeconds: 2 }
    await withLibrary('for (;;);', options, async ({ imaging, examine, folder }) => {
      const video = assert.rejects(examine(await plainMp4()), {
        code: 'not-decodable',
        message: 'The file takes more than 1 seconds of processor time to read.',
      })
      const isAtWork = () => globSync('decoders/*/job/attempts', { cwd: folder }).length > 0
      await until(isAtWork, 'the library is at work')
      const [before] = imaging.pids
      const next: any = await examine(await picture())
      await video
      assert.equal(next.type, 'image')
      assert.ok(!imaging.pids.includes(before ?? 0), 'the child that hung is gone')
    })
  })

  test(
    'that eats the memory is killed, and what it may use is no less than a program may',
    minutes,
    async () => {
      const eater = 'for (const eaten = []; ; ) eaten.push(Buffer.alloc(16_777_216, 1))'
      const options = { maxFrameMemoryBytes: 300_000_000 }
      await withLibrary(eater, options, async ({ examine, folder }) => {
        await assert.rejects(examine(await plainMp4()), {
          code: 'not-decodable',
          message: 'The file needs more memory than allowed.',
        })
        assert.equal(attemptsIn(folder), 3)
      })
    },
  )

  test('that cannot be loaded is none: a program of the machine takes its place', minutes, async () => {
    const folder = fakePackage('')
    writeFileSync(join(folder, 'node-av.node/index.js'), 'throw new Error("made for another C library")')
    assert.equal(await findFfmpeg({ packageName: folder }), undefined)
    assert.equal(await findFfmpeg({ packageName: 'no-package' }), undefined)
    const named = keep('ffmpeg', '#!/bin/sh\necho "ffmpeg version fake"\n', 0o700)
    const program = mkdtempSync(join(tmpdir(), 'terrace-path-'))
    symlinkSync(named, join(program, 'ffmpeg'))
    const inPath = await findFfmpeg({ packageName: folder, searchPath: program })
    assert.deepEqual(inPath, { path: join(program, 'ffmpeg'), from: 'PATH', version: 'fake' })
    assert.equal((await findFfmpeg({ searchPath: program }))?.from, 'package')
    assert.equal((await findFfmpeg({ searchPath: program, named }))?.from, 'FFMPEG_PATH')
    for (const each of [folder, program]) rmSync(each, { recursive: true })
  })

  test('that finds no room for the frame is no fault of the video', minutes, async () => {
    const full = `fs.writeFileSync = () => { throw Object.assign(new Error(), { code: 'ENOSPC', syscall: 'write' }) }
    require('node:module').syncBuiltinESMExports()`
    await withLibrary(full, {}, async ({ examine }) => {
      await assert.rejects(examine(await plainMp4()), { code: 'ENOSPC' })
    })
  })
})

videos.describe('without a program on the machine', () => {
  test('a video has its frame after a plain start', minutes, async () => {
    await using app = await startTestApp({ environment: { PATH: '/nowhere' } })
    const cats = await app.tenant('cats')
    for (const file of [await plainMp4(), await plainWebm()]) {
      const image = await uploaded(app, cats, { file })
      assert.deepEqual([image.type, image.chain, image.frame.mime], ['video', 21, 'image/jpeg'])
    }
  })

  test('codecs that are not on the list are not decoded', minutes, async () => {
    await using app = await startTestApp()
    const cats = await app.tenant('cats')
    const words = [...moving({ size: '64x48', seconds: 1 }), '-c:v', 'cinepak', '-pix_fmt', 'rgb24']
    const file = await videoOf('old.mov', ...words)
    assert.deepEqual(refusalOf(await upload(app, cats, { file })).slice(0, 2), [400, 610])
  })

  programmed.test('the frame is the same as the program takes', minutes, async () => {
    const library = await startTestApp()
    const program = await startTestApp({ environment: { FFMPEG_PATH: ffmpegPath } })
    await using _both = {
      [Symbol.asyncDispose]: async () =>
        void (await Promise.all([library, program].map((app) => app[Symbol.asyncDispose]()))),
    }
    const videos = [
      await plainMp4(),
      await plainWebm(),
      // A recording that does not begin at nought, and one with frames out of order.
      await videoOf(
        'later.webm',
        ...moving({ seconds: 4 }),
        '-vf',
        'setpts=PTS+7/TB',
        '-c:v',
        'libvpx',
        '-g',
        '5',
      ),
      await videoOf(
        'reordered.mp4',
        ...moving({ seconds: 4 }),
        '-c:v',
        'libx264',
        '-bf',
        '3',
        '-g',
        '8',
        '-pix_fmt',
        'yuv420p',
      ),
    ]
    for (const [index, file] of videos.entries()) {
      const [one, other] = await Promise.all(
        [library, program].map(async (app) => {
          const image = await uploaded(app, await app.tenant(`cats-${index}`), { file })
          return sharp((await ask(app, image.url_frame)).bytes)
            .raw()
            .toBuffer()
        }),
      )
      assert.ok(differenceOf(one ?? Buffer.alloc(0), other ?? Buffer.alloc(0)) < 1, `video ${index}`)
    }
  })
})

/** By how much the values of the pixels differ on average, of 255. */
function differenceOf(one: Buffer, other: Buffer): number {
  assert.equal(one.length, other.length)
  return one.reduce((sum, value, at) => sum + Math.abs(value - (other[at] ?? 0)), 0) / one.length
}

const tracedVideos = await needing('video libraries', 'strace')

tracedVideos.test(
  'the library opens the file that it is given and reaches nothing else, whatever the file asks for',
  minutes,
  async () => {
    const folder = mkdtempSync(join(tmpdir(), 'terrace-reach-'))
    const secret = keep('secret.mp4', await plainMp4())
    const attacks = Object.values(attackFiles(secret, 'http://127.0.0.1:9'))
    const files = attacks.flatMap((attack) => [attack, ...Object.values(disguised(attack))])
    const paths = [...files.map((file) => keep('attack', file)), secret]
    const house = fileURLToPath(new URL('../../', import.meta.url))
    const driver = `import { decodeFrame } from ${JSON.stringify(`${house}src/imaging/video/library/decode-frame.ts`)}
const video = { width: 320, height: 240, durationSeconds: 2, takenAt: undefined }
const same = { task: 'take-frame', outputFolder: ${JSON.stringify(folder)}, video, maxPixels: 1e8, library: ${JSON.stringify(real())}, atSeconds: 0.5, isExact: true }
let taken = 0
for (const path of ${JSON.stringify(paths)}) for (const kind of ['mp4', 'webm']) try { decodeFrame({ ...same, path, kind }); taken += 1 } catch {}
console.log(taken)`
    const log = join(folder, 'trace')
    const strace = ['-f', '-qq', '-o', log, '-e', 'trace=open,openat,connect,socket']
    const words = [process.execPath, '--input-type=module', '--eval', driver]
    const { stdout } = await promisify(execFile)('/usr/bin/strace', [...strace, ...words], { env: {} })
    assert.equal(stdout.trim(), '1', 'only the video itself gives a frame')
    const text = readFileSync(log, 'utf8')
    const opened = [...text.matchAll(/open(?:at)?\((?:AT_FDCWD, )?"([^"]*)"[^\n]* = \d/g)].map(
      ([, path = '']) => path,
    )
    const strange = new Set(opened.filter((path) => !path.startsWith(house) && !isOfTheSystem(path)))
    assert.deepEqual(strange, new Set([...paths, join(folder, 'frame.jpeg')]))
    // On arm64 a driver in it tells the system's log that it has been loaded.
    assert.doesNotMatch(text.replaceAll(/.*"\/dev\/log".*/g, ''), /connect\(|AF_INET/)
    rmSync(folder, { recursive: true })
  },
)

/** What any Node opens that starts. */
const isOfTheSystem = (path: string) =>
  /^\/(?:lib|lib64|usr\/lib|usr\/share|proc|sys|dev\/(?:null|urandom|console))(?:\/|$)|^\/etc\/(?:ld\.so|ssl|localtime)|openssl\.cnf$/.test(
    path,
  )
