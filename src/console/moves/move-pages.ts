import { listWork, readWork, type Work, workNotFound } from '../../control/index.ts'
import { type Html, html } from '../../lib/html.ts'
import { askForMove, cancelMove } from '../../maintenance/index.ts'
import type { Moved } from '../../tenants/index.ts'
import { tokenField } from '../../ui/form.ts'
import { linkButton, submitButton } from '../../ui/parts/controls.ts'
import { table } from '../../ui/parts/lists.ts'
import { banner, emptyState } from '../../ui/parts/states.ts'
import { timeTag, writeNumber } from '../../words/format.ts'
import {
  type ConsoleCall,
  type ConsoleHandler,
  type ConsoleRoute,
  consolePath,
  installationOf,
  mayChange,
} from '../console-call.ts'
import { consolePage, section } from '../frame.ts'
import { isUnderWay, stateChip, whyFailed, workProgress } from '../work/work-progress.ts'
import { placeRefused, showPlace } from './place-page.ts'

const startMove: ConsoleHandler = (call) =>
  placeRefused(call, async (id) => {
    const { id: move } = await askForMove(installationOf(call), id)
    return { to: consolePath(`moves/${move}`) }
  })

const cancel: ConsoleHandler = async (call) => {
  const { id } = await cancelMove(installationOf(call), call.params.id ?? '')
  return { to: consolePath(`moves/${id}`) }
}

const showMoves: ConsoleHandler = async (call) => {
  const { words } = call.reader
  const moves = await listWork(call.control, 'move')
  const list =
    moves.length === 0
      ? emptyState({
          title: words.movesNone,
          text: words.movesNoneText,
          action: linkButton(words.movesTenants, consolePath('tenants'), { look: 'plain' }),
        })
      : table(
          words.consoleMoves,
          [words.jobsTenant, words.consoleState, words.workStarted, words.workEnded, words.workBy].map(
            (name) => ({ name }),
          ),
          moves.map((move) => cellsOf(call, move)),
        )
  const content = html`<p class="soft">${words.movesText}</p>
${list}`
  return { page: consolePage(call, { part: 'moves', title: words.consoleMoves, content }) }
}

function cellsOf({ reader }: ConsoleCall, move: Work): Html[] {
  const { language } = reader
  return [
    html`<a href="${consolePath(`moves/${move.id}`)}" dir="auto">${move.target}</a>`,
    isUnderWay(move)
      ? html`<div class="work-cell">${stateChip(reader, move)}${workProgress(reader, move)}</div>`
      : stateChip(reader, move),
    timeTag(language, move.createdAt, 'UTC'),
    move.finishedAt ? timeTag(language, move.finishedAt, 'UTC') : html``,
    html`<span class="author" dir="auto">${authorName(reader.words, move)}</span>`,
  ]
}

const authorName = (words: ConsoleCall['reader']['words'], { author: { kind, name } }: Work): string =>
  name ?? (kind === 'tool' ? words.workByTool : kind)

const showMove: ConsoleHandler = async (call) => {
  const { reader, params, control } = call
  const { words, language } = reader
  const move = await readWork(control, params.id ?? '')
  if (move.kind !== 'move') throw workNotFound()
  const facts: readonly (readonly [string, Html])[] = [
    [
      words.jobsTenant,
      html`<a href="${consolePath(`tenants/${move.target}/place`)}" dir="auto">${move.target}</a>`,
    ],
    [words.consoleState, stateChip(reader, move)],
    [words.workBy, html`<span dir="auto">${authorName(words, move)}</span>`],
    [words.workStarted, timeTag(language, move.createdAt, 'UTC')],
    ...(move.finishedAt ? [[words.workEnded, timeTag(language, move.finishedAt, 'UTC')] as const] : []),
  ]
  const content = html`<dl class="facts">${facts.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl>
${isUnderWay(move) ? workProgress(reader, move) : undefined}
${outcomeOf(call, move)}
${isUnderWay(move) && !move.isCancelled && mayChange(call) ? cancelForm(call, move) : undefined}`
  return { page: consolePage(call, { part: 'moves', title: words.moveOf(move.target), content }) }
}

function outcomeOf({ reader }: ConsoleCall, move: Work): Html | undefined {
  const { words, language } = reader
  if (move.error !== undefined) return section(words.workWhy, html`${whyFailed(reader, move)}`)
  if (move.state !== 'done') return undefined
  const moved = move.result as Moved
  if (!moved.isMoved) return banner(html`<p>${words.moveNotNeeded}</p>`)
  const seconds = writeNumber(language, Math.round(moved.heldMs / 100) / 10)
  return banner(
    html`<p>${words.moveDone(writeNumber(language, moved.files), writeNumber(language, moved.rows), seconds)}</p>
${moved.isCleaned ? undefined : html`<p>${words.moveUncleaned}</p>`}`,
    'good',
  )
}

const cancelForm = ({ reader }: ConsoleCall, { id }: Work): Html =>
  html`<form method="post" action="${consolePath(`moves/${id}/cancel`)}" class="stack">${tokenField(reader)}
<p class="soft">${reader.words.moveCancelText}</p>
<p>${submitButton(reader.words.moveCancel, { look: 'danger' })}</p>
</form>`

export const movePages: readonly ConsoleRoute[] = [
  { method: 'GET', path: 'tenants/{id}/place', handle: showPlace },
  { method: 'POST', path: 'tenants/{id}/move', page: 'tenants/{id}/place', handle: startMove },
  { method: 'GET', path: 'moves', handle: showMoves },
  { method: 'GET', path: 'moves/{id}', handle: showMove },
  { method: 'POST', path: 'moves/{id}/cancel', page: 'moves/{id}', handle: cancel },
]
