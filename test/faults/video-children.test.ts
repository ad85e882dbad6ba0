import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { type ImagingOptions, startImaging } from '../../src/imaging/index.ts'
import { ask } from '../support/delivered.ts'
import { type MovedTimers, moveTimers } from '../support/faults/moved-timers.ts'
import { processes } from '../support/faults/processes.ts'
import { ffmpegPath, keep, plainMp4, plainWebm, programmed, videos } from '../support/fixtures/videos.ts'
import { startTestApp } from '../support/harness.ts'
import { startChildServer } from '../support/servers/child-server.ts'
import { freshInstallation } from '../support/tool.ts'
import { until } from '../support/until.ts'
import { refusalOf, upload, uploaded } from '../support/uploads.ts'

const minutes = { timeout: 180_000 }

/** A program in ffmpeg's place. */
const fake = (script: string) =>
  keep(
    'ffmpeg',
    `#!/bin/bash\n[ "$1" = -version ] && { echo "ffmpeg version fake"; exit 0; }\n${script}\n`,
    0o700,
  )

/** Does not end when it is asked to, and neither do those that it has started. Their number is their name. */
const hanging = (mark: number) =>
  fake(`trap '' TERM INT HUP
(trap '' TERM; exec sleep ${mark}) &
(trap '' TERM; sleep ${mark} >/dev/null 2>&1; true) &
while :; do sleep ${mark}; done`)

const sleepers = (mark: number) =>
  processes().flatMap(({ words, pid }) => (words.includes(`sleep ${mark}`) ? [pid] : []))
const sleeping = (mark: number) => sleepers(mark).length
const zombies = () =>
  processes().filter(({ parent, state }) => parent === process.pid && state === 'Z').length

/** What was killed takes a moment to go on a busy machine; what was not never does. */
const allGone = (mark: number) => until(() => sleeping(mark) === 0 && zombies() === 0, 'all of it is gone')

/** Ffmpeg is tried three times within its limit. Each time it is at work when its part of the limit is over. */
async function letRunOut(mark: number, limitSeconds: number, timers: MovedTimers): Promise<void> {
  const seen = new Set<number>()
  for (const part of [0.4, 0.3, 0.3]) {
    await until(() => sleepers(mark).some((pid) => !seen.has(pid)), 'ffmpeg is at work')
    for (const pid of sleepers(mark)) seen.add(pid)
    assert.equal(timers.runOut(limitSeconds * part), 1, `${part} of the limit`)
  }
}

interface Examining {
  imaging: ReturnType<typeof startImaging>
  examine(file: Buffer): ReturnType<ReturnType<typeof startImaging>['examine']>
}

/** Imaging that takes videos as buffers and cleans up after itself. */
async function withImaging(options: ImagingOptions, use: (it: Examining) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'terrace-frames-'))
  await using imaging = startImaging({ children: 1, ...options })
  let count = 0
  const examine = (file: Buffer) => {
    const outputFolder = join(folder, String(count++))
    mkdirSync(outputFolder)
    return imaging.examine(keep('video', file), { tenantKey: 'a', policy: 'keep', outputFolder })
  }
  await use({ imaging, examine })
  rmSync(folder, { recursive: true })
}

videos.describe('an ffmpeg that hangs', () => {
  test('is killed with all that it started, and the next video gets its turn', minutes, async () => {
    const mark = 100_000 + process.pid
    const named = hanging(mark)
    using timers = moveTimers()
    await withImaging({ ffmpeg: { named }, maxFrameWallSeconds: 6 }, async ({ imaging, examine }) => {
      const video = await plainMp4()
      for (let turn = 0; turn < 3; turn += 1) {
        const examining = examine(video)
        const refused = assert.rejects(examining, {
          code: 'decoder-busy',
          message: 'The file could not be read within 6 seconds: the server is busy. Try again later.',
        })
        await letRunOut(mark, 6, timers)
        await refused
        await allGone(mark)
      }
      assert.deepEqual([imaging.waiting, imaging.pids.length], [0, 1], 'the decoder was not to blame')
    })
  })

  test('goes with the server', minutes, async () => {
    const mark = 200_000 + process.pid
    await withImaging({ ffmpeg: { named: hanging(mark) } }, async ({ imaging, examine }) => {
      const refused = assert.rejects(examine(await plainMp4()), { kind: 'unavailable' })
      await until(() => sleeping(mark) > 0, 'ffmpeg is at work')
      await imaging[Symbol.asyncDispose]()
      await refused
      await allGone(mark)
    })
  })

  test(
    'holds up no other upload: it is refused in the end, and pictures are accepted meanwhile',
    minutes,
    async () => {
      const mark = 300_000 + process.pid
      await using app = await startTestApp({ environment: { FFMPEG_PATH: hanging(mark) } })
      const cats = await app.tenant('cats')
      using timers = moveTimers()
      const video = upload(app, cats, { file: await plainMp4() })
      await until(() => sleeping(mark) > 0, 'ffmpeg is at work')
      assert.equal((await upload(app, cats)).status, 200)
      await letRunOut(mark, 90, timers)
      const busy = 'The file could not be read within 90 seconds: the server is busy. Try again later.'
      assert.deepEqual(refusalOf(await video), [503, 503, busy])
      await allGone(mark)
      assert.equal((await upload(app, cats)).status, 200)
      await until(() => readdirSync(join(app.dataDir, 'spool')).length === 0, 'the spool is empty')
    },
  )
})

programmed.test('an ffmpeg that is killed from outside is started again', minutes, async () => {
  // It sees no other folder than that of its job.
  const script = `[ -e job/killed ] && exec ${ffmpegPath} "$@"; : > job/killed; kill -KILL $$`
  await withImaging({ ffmpeg: { named: fake(script) } }, async ({ examine }) => {
    const seen = await examine(await plainMp4())
    assert.ok(seen.type === 'video' && seen.frame !== undefined)
  })
  await withImaging({ ffmpeg: { named: fake('kill -KILL $$') } }, async ({ examine }) => {
    await assert.rejects(examine(await plainMp4()), { kind: 'unavailable', code: 'decoder-killed' })
  })
})

videos.describe('an ffmpeg that misbehaves otherwise:', () => {
  const refusal = async (script: string, options: ImagingOptions = {}) => {
    let refused: unknown
    await withImaging({ ffmpeg: { named: fake(script) }, ...options }, async ({ examine }) => {
      refused = await examine(await plainMp4()).then(
        () => undefined,
        ({ kind, code }) => [kind, code],
      )
    })
    return refused
  }
  const broken = ['invalid', 'not-decodable']
  const outFile = `out=$(echo "$*" | sed 's/.*file://')`

  test('one that writes no picture, or another than it was asked for', minutes, async () => {
    assert.deepEqual(await refusal('exit 0'), broken)
    assert.deepEqual(await refusal('exit 1'), broken)
    assert.deepEqual(await refusal(`${outFile}; echo "no picture" > "$out"`), broken)
    assert.deepEqual(await refusal(`${outFile}; : > "$out"`), broken)
  })

  test('one that fills the disk', minutes, async () => {
    assert.deepEqual(await refusal(`${outFile}; head -c 200000000 /dev/zero > "$out"`), broken)
  })

  programmed.test('one that fills the memory', minutes, async () => {
    // It holds what it reads, and works only if it was allowed to.
    const eater = `head -c 400000000 /dev/zero | tail -c 400000000 > /dev/null && exec ${ffmpegPath} "$@"`
    assert.equal(await refusal(eater), undefined)
    assert.deepEqual(await refusal(eater, { maxFrameMemoryBytes: 300_000_000 }), broken)
  })

  test('one that finds no room is no fault of the video either', minutes, async () => {
    const named = fake(`${outFile}; echo half > "$out"; echo "$out: No space left on device" >&2; exit 228`)
    await using app = await startTestApp({ environment: { FFMPEG_PATH: named } })
    const refused = refusalOf(await upload(app, await app.tenant('cats'), { file: await plainMp4() }))
    assert.deepEqual(refused, [507, 104, 'There is no space left to store this.'])
  })

  programmed.test('one that breaks off in the middle is tried again further in front', minutes, async () => {
    const script = `case "$*" in *"-ss 0.000"*) exec ${ffmpegPath} "$@";; esac; ${outFile}; echo half > "$out"; exit 1`
    await withImaging({ ffmpeg: { named: fake(script) } }, async ({ examine }) => {
      const seen = await examine(await plainMp4())
      assert.ok(seen.type === 'video' && seen.frame !== undefined)
    })
  })

  test('one that cannot be started is no fault of the video', minutes, async () => {
    assert.deepEqual(await refusal('exit 127'), ['unavailable', 'decoder-unavailable'])
  })

  test('one that spins is stopped by its share of the processor', minutes, async () => {
    assert.deepEqual(await refusal('while :; do :; done', { maxFrameSeconds: 2 }), broken)
  })
})

videos.test(
  'ffmpeg knows nothing of the environment, reaches no network and has limits',
  minutes,
  async () => {
    process.env.TERRACE_TEST_SECRET = 'canary'
    const mark = 400_000 + process.pid
    await withImaging({ ffmpeg: { named: fake(`exec sleep ${mark}`) } }, async ({ imaging, examine }) => {
      const refused = assert.rejects(examine(await plainMp4()), { kind: 'unavailable' })
      await until(() => sleeping(mark) > 0, 'ffmpeg is at work')
      delete process.env.TERRACE_TEST_SECRET
      const pid = processes().find(({ words }) => words.startsWith(`sleep ${mark}`))?.pid
      const seen = (name: string) => readFileSync(`/proc/${pid}/${name}`, 'utf8')
      assert.doesNotMatch(seen('environ'), /canary|TERRACE|NODE|PATH=/)
      const { hasMemoryLimit, missing } = await imaging.confinement()
      const status = seen('status')
      if (missing.includes('calls')) console.warn('This machine knows no seccomp.')
      else assert.match(status, /Seccomp:\s+2/)
      assert.match(status, /NoNewPrivs:\s+1/)
      assert.match(status, /CapEff:\s+0+\n/)
      if (hasMemoryLimit) {
        const limits = seen('limits')
        assert.match(limits, /Max address space +1610612736 /)
        assert.match(limits, /Max cpu time +30 +31 /)
        assert.match(limits, /Max file size +50000000 /)
        assert.match(limits, /Max open files +64 /)
        assert.match(limits, /Max core file size +0 /)
      } else console.warn('This machine does not let a child be limited.')
      await imaging[Symbol.asyncDispose]()
      await refused
    })
  },
)

videos.test('ffmpeg opens no file but that of its job', minutes, async () => {
  const secret = keep('secret', 'canary', 0o644)
  const script = `read -r word < ${secret}; printf 'read: %s' "$word" >&2; : > ${secret}.left; exit 1`
  await withImaging({ ffmpeg: { named: fake(script) } }, async ({ imaging, examine }) => {
    const refusal: Error = await examine(await plainMp4()).then(
      () => assert.fail('it was taken'),
      (error) => error,
    )
    if ((await imaging.confinement()).missing.includes('files')) return
    assert.match(String(refusal.cause), /Permission denied/)
    assert.doesNotMatch(String(refusal.cause), /canary/)
    assert.equal(existsSync(`${secret}.left`), false)
  })
})

videos.describe('without any ffmpeg', () => {
  test('a video is taken, and its answer and page do without a frame', minutes, async () => {
    await using app = await startTestApp({ environment: { FFMPEG_PATH: 'none' } })
    const cats = await app.tenant('cats')
    for (const file of [await plainMp4(), await plainWebm()]) {
      const image = await uploaded(app, cats, { file })
      const absent = { filename: null, name: null, mime: null, extension: null, url: null }
      assert.deepEqual([image.frame, image.medium, image.thumb], [absent, absent, absent])
      assert.deepEqual([image.chain, image.url_frame, image.type, image.duration], [4, '', 'video', 2])
      assert.deepEqual([image.frame_size, image.medium_size, image.thumb_size], [0, 0, 0])
      assert.deepEqual([image.width, image.height, image.display_url], [320, 240, image.url])
      const { status, text } = await ask(app, image.url_viewer)
      assert.equal(status, 200)
      assert.doesNotMatch(text, /og:image|twitter:image|poster=|<img/)
      assert.match(text, /og:video/)
      const { origin } = new URL(image.url)
      const embedding = JSON.parse(
        (await ask(app, `${origin}/oembed?url=${encodeURIComponent(image.url_viewer)}`)).text,
      )
      assert.deepEqual([embedding.type, embedding.thumbnail_url], ['video', undefined])
      assert.equal((await ask(app, image.delete_url, {}, 'DELETE')).status, 200)
    }
  })

  test('that is said once in the log', minutes, async () => {
    await using installation = await freshInstallation()
    await using server = await startChildServer({
      ...installation.settings,
      FFMPEG_PATH: 'none',
      SERVICE_DEMO: '1',
    })
    await until(() => /Upload key\s+\S+/.test(server.output()), 'the key is shown')
    const [, key = ''] = /Upload key\s+(\S+)/.exec(server.output()) ?? []
    for (const file of [await plainMp4(), await plainMp4()]) {
      const body = new FormData()
      body.append('source', new Blob([new Uint8Array(file)]), 'video.mp4')
      const url = `http://127.0.0.1:${server.port}/api/1/upload`
      const headers = { 'x-api-key': key, host: 'localhost' }
      assert.equal(
        (await fetch(url.replace('127.0.0.1', 'localhost'), { method: 'POST', body, headers })).status,
        200,
      )
    }
    assert.equal(server.output().split('FFmpeg is missing: videos are accepted').length, 2, server.output())
  })
})

describe('FFMPEG_PATH is tried at the start:', () => {
  for (const [path, fault] of [
    ['/nowhere/ffmpeg', 'FFMPEG_PATH: "/nowhere/ffmpeg" cannot be run as ffmpeg\n'],
    ['/bin/true', 'FFMPEG_PATH: "/bin/true" cannot be run as ffmpeg\n'],
    ['ffmpeg', 'FFMPEG_PATH: must be the whole path of a program or none, not "ffmpeg"\n'],
  ] as const) {
    test(path, minutes, async () => {
      await using installation = await freshInstallation('sqlite', { FFMPEG_PATH: path })
      const { code, err } = await installation.bin('serve')
      assert.deepEqual([code, err], [2, fault])
    })
  }
})
