import { decimalSignOf, formatSize, localeOf } from '../../src/common/format.ts'
import { formatTime } from '../../src/common/format-time.ts'

const everyMs = 2_000

/** What the console answers about long work. */
interface WorkAnswer {
  state: string
  done: number
  total: number | null
  rate: number | null
  seconds_left: number | null
}

/** Asks how far work is while its page is seen, and not at all while it is hidden. */
export function startWatching(): void {
  const watched = [...document.querySelectorAll<HTMLElement>('[data-work]')]
  let timer: number | undefined
  const next = () => {
    clearTimeout(timer)
    if (document.visibilityState === 'visible') timer = setTimeout(ask, everyMs)
  }
  const ask = async () => {
    // What cannot be asked now, since the server starts again, is asked the next time.
    await Promise.all(watched.map((root) => update(root).catch(() => undefined)))
    next()
  }
  document.addEventListener('visibilitychange', () => {
    clearTimeout(timer)
    if (document.visibilityState === 'visible') void ask()
  })
  next()
}

async function update(root: HTMLElement): Promise<void> {
  const { work = '', state, language = 'en', of = '', rate = '', left = '', units = '#' } = root.dataset
  const response = await fetch(work, { headers: { accept: 'application/json' } })
  // The session has ended, or the work is forgotten: the page says so.
  if (response.redirected || response.status === 404) return location.reload()
  if (!response.ok) return
  const now = (await response.json()) as WorkAnswer
  // There may be another outcome, form or list now.
  if (now.state !== state || (now.total !== null && root.dataset.unit === undefined)) return location.reload()
  const isBytes = root.dataset.unit === 'bytes'
  const numbers = new Intl.NumberFormat(localeOf(language), { maximumFractionDigits: 1 })
  const write = (amount: number) =>
    isBytes ? formatSize(Math.round(amount), decimalSignOf(language)) : numbers.format(amount)
  const withUnit = (amount: number) => units.replace('#', write(amount))
  const bar = root.querySelector('progress')
  if (bar && now.total !== null) {
    bar.max = now.total || 1
    bar.value = now.done
  }
  const show = (part: string, text: string) => {
    const shown = root.querySelector(`[data-part=${part}]`)
    if (shown && shown.textContent !== text) shown.textContent = text
  }
  if (now.total !== null) show('amount', of.replace('##', withUnit(now.total)).replace('#', write(now.done)))
  show('rate', now.rate === null ? '' : rate.replace('#', withUnit(now.rate)))
  show('left', now.seconds_left === null ? '' : left.replace('#', formatTime(now.seconds_left)))
}
