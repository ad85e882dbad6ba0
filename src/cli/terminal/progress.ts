import { formatSize } from '../../common/format.ts'
import { cut } from './table.ts'
import type { Terminal } from './terminal.ts'

/** A progress line on a terminal. */
export interface Progress extends Disposable {
  step(done: number): void
}

const drawEveryMs = 80

/** What is counted: a noun phrase behind the numbers, or bytes, which are written as sizes. */
interface Drawing {
  label: string
  isBytes?: boolean
}

/** Draws one line and erases it when disposed. Draws nothing if the stream is no terminal: a pipe gets only the result. */
export function progressOn(terminal: Terminal, { label, isBytes }: Drawing, total?: number): Progress {
  if (!terminal.isTerminal) return { step: () => undefined, [Symbol.dispose]: () => undefined }
  const write = isBytes ? formatSize : String
  const startedAt = performance.now()
  let drawnAt = Number.NEGATIVE_INFINITY
  const step = (done: number) => {
    const now = performance.now()
    if (now - drawnAt < drawEveryMs) return
    drawnAt = now
    const left = total === undefined ? undefined : secondsLeft(done, total, (now - startedAt) / 1_000)
    const text = [
      ...(total === undefined
        ? [`${label} ${write(done)}`]
        : [`${barOf(done, total)} ${label} ${write(done)} of ${write(total)}`]),
      ...(left === undefined ? [] : [`${formatSeconds(left)} left`]),
    ].join(', ')
    terminal.redraw(terminal.paint('dim', cut(text, terminal.columns - 1)))
  }
  step(0)
  return { step, [Symbol.dispose]: () => terminal.redraw('') }
}

/** In the first seconds a guess would jump about. */
const guessAfterSeconds = 2

function secondsLeft(done: number, total: number, elapsed: number): number | undefined {
  if (done <= 0 || elapsed < guessAfterSeconds) return undefined
  return Math.ceil((elapsed * Math.max(0, total - done)) / done)
}

/** `45 s`, `3 min`, `2 h 5 min`. */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.ceil(seconds / 60)
  return minutes < 60 ? `${minutes} min` : `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Shows progress while `work` runs. The line is drawn at the first step, because only then is the total known. */
export async function withProgress<T>(
  terminal: Terminal,
  drawing: Drawing,
  work: (onStep: (done: number, total?: number) => void) => Promise<T>,
): Promise<T> {
  let progress: Progress | undefined
  try {
    return await work((done, total) => {
      progress ??= progressOn(terminal, drawing, total)
      progress.step(done)
    })
  } finally {
    progress?.[Symbol.dispose]()
  }
}

const barLength = 24

function barOf(done: number, total: number): string {
  const filled = Math.min(barLength, Math.round((barLength * done) / Math.max(1, total)))
  return '█'.repeat(filled) + '░'.repeat(barLength - filled)
}
