import { cut } from './cells.ts'
import type { Sheet } from './sheet.ts'

/** Tells how far long work has come, where somebody is watching. */
export interface Progress extends Disposable {
  step(done: number): void
}

const drawEveryMs = 80

/** Drawn on one line that is gone when the work ends; a pipe gets nothing but the result. */
export function progressOn(sheet: Sheet, what: string, total?: number): Progress {
  if (!sheet.isTerminal) return { step: () => undefined, [Symbol.dispose]: () => undefined }
  let drawnAt = Number.NEGATIVE_INFINITY
  const step = (done: number) => {
    const now = performance.now()
    if (now - drawnAt < drawEveryMs) return
    drawnAt = now
    const text = total === undefined ? `${what} ${done}` : `${barOf(done, total)} ${what} ${done} of ${total}`
    sheet.redraw(sheet.paint('dim', cut(text, sheet.columns - 1)))
  }
  step(0)
  return { step, [Symbol.dispose]: () => sheet.redraw('') }
}

const barLength = 24

function barOf(done: number, total: number): string {
  const filled = Math.min(barLength, Math.round((barLength * done) / Math.max(1, total)))
  return '█'.repeat(filled) + '░'.repeat(barLength - filled)
}
