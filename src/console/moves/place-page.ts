import { listWork, type Work } from '../../control/index.ts'
import { type Html, html } from '../../lib/html.ts'
import { Refusal } from '../../lib/refusal.ts'
import { readLocations, type TenantLocations } from '../../tenants/index.ts'
import { tokenField } from '../../ui/form.ts'
import { linkButton, submitButton } from '../../ui/parts/controls.ts'
import { chip, table } from '../../ui/parts/lists.ts'
import { banner } from '../../ui/parts/states.ts'
import { orRefusal } from '../../ui/refused.ts'
import {
  type ConsoleAnswer,
  type ConsoleCall,
  type ConsoleHandler,
  consolePath,
  mayChange,
} from '../console-call.ts'
import { answerOfRefusal, consolePage } from '../frame.ts'
import { isUnderWay } from '../work/work-progress.ts'

export const showPlace: ConsoleHandler = async (call) => ({ page: await placePage(call) })

/** The page with why the move was refused, if it was. */
export async function placeRefused(
  call: ConsoleCall,
  move: (id: string) => Promise<ConsoleAnswer>,
): Promise<ConsoleAnswer> {
  const moved = await orRefusal(move(call.params.id ?? ''))
  if (!(moved instanceof Refusal)) return moved
  if (moved.kind !== 'conflict') throw moved
  return answerOfRefusal(moved, await placePage(call))
}

/** The page itself says why a move is refused: nothing to move, not installed, or one is running. */
async function placePage(call: ConsoleCall): Promise<string> {
  const { words } = call.reader
  const { id = '' } = call.params
  const locations = await readLocations(call.control, id)
  const moves = await listWork(call.control, 'move')
  const running = moves.find((move) => move.target === id && isUnderWay(move))
  const content = html`<p class="soft">${words.moveLocationText}</p>
${locationTable(call, locations)}
${whatToDo(call, { id, locations, running })}`
  return consolePage(call, { part: 'tenants', title: words.moveLocation(id), content })
}

function locationTable({ reader: { words } }: ConsoleCall, { now, wanted }: TenantLocations): Html {
  const cell = (location: TenantLocations['now'], part: 'database' | 'storage', own: string) =>
    location === undefined
      ? chip(words.planUnreadable, 'danger')
      : html`<span class="breaks" dir="auto">${location[part] ?? own}</span>`
  const row = (name: string, part: 'database' | 'storage', own: string) => [
    html`${name}`,
    cell(now, part, own),
    cell(wanted, part, own),
  ]
  return table(
    words.moveLocationText,
    [words.movePart, words.moveNow, words.moveWanted].map((name) => ({ name })),
    [
      row(words.moveDatabase, 'database', words.moveOwnDatabase),
      row(words.moveStorage, 'storage', words.moveOwnStorage),
    ],
  )
}

interface Shown {
  id: string
  locations: TenantLocations
  running: Work | undefined
}

function whatToDo(call: ConsoleCall, { id, locations, running }: Shown): Html {
  const { words } = call.reader
  if (running)
    return banner(
      html`<p>${words.moveRunning} <a href="${consolePath(`moves/${running.id}`)}">${words.moveWatch}</a></p>`,
    )
  if (locations.isMoving) return banner(html`<p>${words.moveRunningElsewhere}</p>`)
  if (!locations.now || !locations.wanted)
    return banner(html`<p>${words.refusals['key-missing']({})}</p>`, 'danger')
  if (!locations.isInstalled) return banner(html`<p>${words.moveNotInstalled}</p>`)
  if (locations.parts.length === 0)
    return html`${banner(html`<p>${words.moveNothing}</p>`)}
<p>${linkButton(words.moveChangeValues, consolePath(`tenants/${id}/values`), { look: 'plain' })}</p>`
  if (!mayChange(call)) return html``
  return html`<form method="post" action="${consolePath(`tenants/${id}/move`)}" class="stack">${tokenField(call.reader)}
<p class="soft">${words.moveText}</p>
<p>${submitButton(words.moveStart)}</p>
</form>`
}
