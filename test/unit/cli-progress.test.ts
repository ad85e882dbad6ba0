import assert from 'node:assert/strict'
import { stripVTControlCharacters } from 'node:util'
import { afterEach, beforeEach, test, vi } from 'vitest'
import { formatSeconds, progressOn } from '../../src/cli/terminal/progress.ts'
import { terminalOf } from '../../src/cli/terminal/terminal.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('progress in bytes shows sizes, and the time left as soon as it can be guessed', () => {
  const lines: string[] = []
  const write = (text: unknown) => lines.push(stripVTControlCharacters(String(text)).trim()) > 0
  const terminal = terminalOf({ isTTY: true, columns: 100, write }, {})
  const progress = progressOn(terminal, { label: 'copied', isBytes: true }, 40_000_000)
  vi.advanceTimersByTime(1_000)
  progress.step(1_000_000)
  vi.advanceTimersByTime(9_000)
  progress.step(10_000_000)
  vi.advanceTimersByTime(90_000)
  progress.step(20_000_000)
  const texts = lines.map((line) => line.replace(/^[█░]+ /, ''))
  assert.deepEqual(texts, [
    'copied 0 B of 40 MB',
    'copied 1 MB of 40 MB',
    'copied 10 MB of 40 MB, 30 s left',
    'copied 20 MB of 40 MB, 2 min left',
  ])
})

test('times are written in the two largest units', () => {
  const texts = {
    0: '0 s',
    59: '59 s',
    60: '1 min',
    61: '2 min',
    3540: '59 min',
    3600: '1 h 0 min',
    90000: '25 h 0 min',
  }
  for (const [seconds, text] of Object.entries(texts)) assert.equal(formatSeconds(Number(seconds)), text)
})
