import assert from 'node:assert/strict'
import { globSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { test } from 'vitest'
import { startImaging } from '../../src/imaging/index.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import { corpus } from '../support/fixtures/corpus.ts'
import { startStopwatch } from '../support/stopwatch.ts'

const MOST_MS = 11_000
const LANES = 2

/** Files that must be accepted, and files that must not. */
const GOOD = [
  /^pngsuite\/png__(?!x).*\.png$/,
  /^bmpsuite[^/]*\/g__.*\.bmp$/,
  /hopper_orientation_\d\./,
  /rot\dmir\d\.avif$/,
  // One has numbers of no bytes, which its parser does not take.
  /^wpt\/media__(?!rgb100).*\.(mp4|webm)$/,
]
const BAD = [
  /^pngsuite\/png__x.*\.png$/,
  /truncated\.(jpg|png)$/,
  /\.(pdf|mp3|exe|xml|txt|json|mkv|avi|ico|psd|tga)$/,
]

test('every file of a public collection is examined or refused in time, and the server stays awake', async () => {
  const files = globSync('*/*', { cwd: corpus })
  const output = mkdtempSync(join(tmpdir(), 'terrace-corpus-'))
  const outcomes = new Map<string, string>()
  const delay = monitorEventLoopDelay({ resolution: 10 })
  {
    await using imaging = startImaging({ children: LANES })
    delay.enable()
    const queue = files.entries()
    const lane = async () => {
      for (const [index, file] of queue) {
        const outputFolder = join(output, `${index}-${basename(file).slice(-40)}`)
        mkdirSync(outputFolder)
        using watch = startStopwatch()
        const request = { tenantKey: 'a', policy: 'strip_location', outputFolder, allowSvg: true } as const
        const outcome = await imaging.examine(join(corpus, file), request).then(
          ({ kind }) => kind,
          (error) => (error instanceof Refusal ? error.code : `FAULT ${error}`),
        )
        const isLate = watch.ms() > MOST_MS
        outcomes.set(file, isLate ? 'LATE' : outcome)
      }
    }
    await Promise.all(Array.from({ length: LANES }, lane))
  }
  rmSync(output, { recursive: true })

  const bad = [...outcomes].filter(([, outcome]) => /FAULT|LATE|busy|unavailable/.test(outcome))
  assert.deepEqual(bad, [])
  const isRefused = (outcome: string) => ['not-media', 'not-decodable'].includes(outcome)
  for (const [file, outcome] of outcomes) {
    if (GOOD.some((pattern) => pattern.test(file))) assert.ok(!isRefused(outcome), `${file}: ${outcome}`)
    if (BAD.some((pattern) => pattern.test(file))) assert.ok(isRefused(outcome), `${file}: ${outcome}`)
  }
  console.info(`The event loop's delay, 99th percentile: ${(delay.percentile(99) / 1e6).toFixed(0)} ms.`)
  assert.ok(delay.max < 5e9, `the event loop stood still for ${delay.max / 1e6} ms`)
}, 300_000)
