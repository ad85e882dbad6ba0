import { cut } from './table.ts'
import type { Terminal } from './terminal.ts'

/** A progress line on a terminal. */
export interface Progress extends Disposable {
  step(done: number): void
}

const drawEveryMs = 80

/** Draws one line and erases it when disposed. Draws nothing if the stream is no terminal: a pipe gets only the result. */
export function progressOn(terminal: Terminal, label: string, total?: number): Progress {
  if (!terminal.isTerminal) return { step: () => undefined, [Symbol.dispose]: () => undefined }
  let drawnAt = Number.NEGATIVE_INFINITY
  const step = (done: number) => {
    const now = performance.now()
    if (now - drawnAt < drawEveryMs) return
    drawnAt = now
    const text =
      total === undefined ? `${label} ${done}` : `${barOf(done, total)} ${label} ${done} of ${total}`
    terminal.redraw(terminal.paint('dim', cut(text, terminal.columns - 1)))
  }
  step(0)
  return { step, [Symbol.dispose]: () => terminal.redraw('') }
}

/** Shows progress while `work` runs. The line is drawn at the first step, because only then is the total known. */
export async function withProgress<T>(
  terminal: Terminal,
  label: string,
  work: (onStep: (done: number, total?: number) => void) => Promise<T>,
): Promise<T> {
  let progress: Progress | undefined
  try {
    return await work((done, total) => {
      progress ??= progressOn(terminal, label, total)
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
