import type { IslandPlural } from '../../src/common/wire.ts'
import { type BulkCall, callBulk, Refused } from './bulk.ts'
import { formatCount } from './format-text.ts'
import { showToast } from './toast.ts'

/** A change that takes back what was done to files. Each must still have the version that we wrote. */
export interface BulkStep extends BulkCall {
  ids: readonly { id: string; version: number }[]
}

interface Undo {
  text: string
  steps: readonly BulkStep[]
  words: Readonly<Record<'label' | 'noConnection', string>> &
    Readonly<Record<'undone' | 'undoLeft', IslandPlural>>
}

interface KeptUndo extends Undo {
  until: number
}

const lastsMs = 10_000
const batchSize = 200
const name = 'terrace-undo'
let current: KeptUndo | undefined

/** Says what was done, with the way back for ten seconds, on this page and on the next one. */
export function offerUndo(undo: Undo): void {
  const kept = { ...undo, until: Date.now() + lastsMs }
  keep(kept)
  show(kept)
}

/** Shows what the page before has left. A message without a way back is shown once. */
export function showKept(): void {
  const kept = read()
  const isOver = !kept || kept.until <= Date.now()
  keep(isOver || kept.steps.length === 0 ? undefined : kept)
  if (!isOver) show(kept)
}

function show({ text, steps, words, until }: KeptUndo): void {
  if (steps.length === 0) showToast(text)
  else showToast(text, { label: words.label, run: () => void takeBack(), forMs: until - Date.now() })
}

function read(): KeptUndo | undefined {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined
  } catch {
    return undefined
  }
}

/** Where the browser keeps nothing, or not as much, the way back ends with the page. */
function keep(undo: KeptUndo | undefined): void {
  current = undo
  try {
    if (undo) sessionStorage.setItem(name, JSON.stringify(undo))
    else sessionStorage.removeItem(name)
  } catch {
    // Kept by the page alone.
  }
}

document.addEventListener('keydown', (event) => {
  const isUndo = (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === 'z'
  const isTyping =
    event.target instanceof Element &&
    event.target.matches('textarea, [contenteditable], input:not([type=checkbox], [type=radio])')
  if (!isUndo || isTyping || !current || current.steps.length === 0 || current.until < Date.now()) return
  event.preventDefault()
  void takeBack()
})

/** Takes back what still has the version that we wrote, and says how many others were left. */
async function takeBack(): Promise<void> {
  const undo = current
  if (!undo) return
  keep(undefined)
  const { words } = undo
  let [done, left] = [0, 0]
  let failure = ''
  try {
    for (const { ids, ...step } of undo.steps)
      for (let from = 0; from < ids.length; from += batchSize) {
        const results = await callBulk({ ...step, ids: ids.slice(from, from + batchSize) })
        const succeeded = results.filter(({ status }) => status === 200).length
        done += succeeded
        left += results.length - succeeded
      }
  } catch (error) {
    failure = error instanceof Refused ? error.message : words.noConnection
  }
  const text = [
    ...(done > 0 ? [formatCount(words.undone, done)] : []),
    ...(left > 0 ? [formatCount(words.undoLeft, left)] : []),
    ...(failure === '' ? [] : [failure]),
  ].join(' ')
  const hasList = document.querySelector('.selectable') !== null
  if (done === 0 || !hasList) return showToast(text)
  keep({ text, steps: [], words, until: Date.now() + lastsMs })
  location.reload()
}
