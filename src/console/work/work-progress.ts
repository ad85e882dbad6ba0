import { formatTime } from '../../common/format-time.ts'
import { secondsLeft, type Work, type WorkFault, type WorkUnit } from '../../control/index.ts'
import { attributes, type Html, html } from '../../lib/html.ts'
import { messageIn } from '../../ui/message-words.ts'
import { chip } from '../../ui/parts/lists.ts'
import { progress } from '../../ui/parts/states.ts'
import type { Reader } from '../../ui/reader.ts'
import { reasonText } from '../../ui/refusal-words.ts'
import { writeCount, writeNumber, writeSize } from '../../words/format.ts'
import { consolePath } from '../console-call.ts'

const looks = {
  waiting: 'plain',
  running: 'accent',
  done: 'good',
  failed: 'danger',
  cancelled: 'plain',
} as const

export const stateChip = ({ words }: Reader, { state, isCancelled }: Work): Html =>
  isCancelled && state === 'running'
    ? chip(words.workCancelling, 'warn')
    : chip(words.workStates[state], looks[state])

export const isUnderWay = ({ state }: Work): boolean => state === 'waiting' || state === 'running'

/**
 * How far work is. A script asks for it while the page is seen, and loads the page again when the state changes; without
 * script there is a link for that. It is no live region: a number that changes every two seconds is nothing to read aloud.
 */
export function workProgress(reader: Reader, work: Work): Html {
  const { words, language } = reader
  const { id, state, done, total, unit, rate } = work
  const left = secondsLeft(work)
  const own = {
    class: 'work',
    'data-work': consolePath(`-/work/${id}`),
    'data-state': state,
    'data-unit': unit,
    'data-units': unit === 'bytes' ? undefined : unitsOf(reader, unit).other('#'),
    'data-of': words.workOf('#', '##'),
    'data-rate': words.workRate('#'),
    'data-left': words.workLeft('#'),
    'data-language': language,
  }
  const amount = total === undefined ? '' : amountText(reader, { done, total, unit })
  return html`<div${attributes(own)}>
${progress(words.workProgress, total === undefined ? undefined : done, total || 1)}
<p class="soft"><span data-part="amount">${amount}</span> <span data-part="rate">${rate === undefined ? undefined : words.workRate(writeAmount(reader, rate, unit))}</span> <span data-part="left">${left === undefined ? undefined : words.workLeft(formatTime(left))}</span></p>
<noscript><p><a href="${reader.path}">${words.workRefresh}</a></p></noscript>
</div>`
}

/** Why it has failed, line by line: in the language of the reader, or in English what has no words. */
export function whyFailed(reader: Reader, { error = '', result }: Work): Html[] {
  const fault = result as WorkFault | undefined
  const text = fault && reasonText(reader.words, fault)
  if (text !== undefined) return [html`<p class="breaks">${text}</p>`]
  return error
    .split('\n')
    .map((line, at) => messageIn(reader, 'p', { text: line, data: fault?.messages?.[at] }))
}

const amountText = (
  reader: Reader,
  { done, total, unit }: { done: number; total: number; unit: WorkUnit | undefined },
): string =>
  reader.words.workOf(
    unit === 'bytes' ? writeSize(reader.language, done) : writeNumber(reader.language, done),
    writeAmount(reader, total, unit),
  )

/** With its unit; a rate below one in a second still says something. */
function writeAmount({ words, language }: Reader, amount: number, unit: WorkUnit | undefined): string {
  if (unit === 'bytes') return writeSize(language, Math.round(amount))
  const shown = amount < 10 ? Math.round(amount * 10) / 10 : Math.round(amount)
  return writeCount(language, unitsOf({ words }, unit), shown)
}

const unitsOf = ({ words }: Pick<Reader, 'words'>, unit: WorkUnit | undefined) =>
  unit === 'sites' ? words.workSites : words.workRows
