import { attributes, type Html, html } from '../../lib/html.ts'
import { Refusal } from '../../lib/refusal.ts'
import {
  changePlanValue,
  countTenantsOfPlans,
  deletePlan,
  type Plan,
  previewPlanValue,
  readReadablePlan,
} from '../../tenants/index.ts'
import { tokenField } from '../../ui/form.ts'
import { linkButton, submitButton } from '../../ui/parts/controls.ts'
import { table } from '../../ui/parts/lists.ts'
import { emptyState } from '../../ui/parts/states.ts'
import { type FormFaults, noFaults } from '../../ui/refusal-words.ts'
import { orRefusal } from '../../ui/refused.ts'
import { writeCount } from '../../words/format.ts'
import { conflictNotice } from '../conflict-notice.ts'
import {
  type ConsoleAnswer,
  type ConsoleCall,
  type ConsoleHandler,
  consolePath,
  mayChange,
} from '../console-call.ts'
import { answerOfRefusal, consolePage, section } from '../frame.ts'
import { planPath } from '../record-paths.ts'
import { unreadableNotice } from '../unreadable-notice.ts'
import { aboutOf, changeIn, faultsOfChange, valueForm } from '../values/value-form.ts'
import { hidden, nameText, plain, removeForm, valueNow } from '../values/value-table.ts'
import { versionIn } from '../version-in.ts'
import { tenantsLink } from './plan-list.ts'
import { previewPart } from './preview-part.ts'

export const showPlan: ConsoleHandler = async (call) => ({ page: await planPage(call, {}) })

/** Shows what a change does, and makes it once that was seen. */
export const changePlan: ConsoleHandler = async (call) =>
  call.form.get('save') === '1' ? save(call) : preview(call)

async function preview(call: ConsoleCall, conflict?: Html): Promise<ConsoleAnswer & { page: string }> {
  const [id, change] = [idIn(call), changeIn(call.form)]
  const found = await orRefusal(previewPlanValue(call.control, id, change))
  if (found instanceof Refusal) return refused(call, found)
  const part = previewPart(call, change, found)
  return { page: await planPage(call, { preview: part, ...(conflict && { conflict }) }) }
}

async function save(call: ConsoleCall): Promise<ConsoleAnswer> {
  const { control, form } = call
  const [id, change] = [idIn(call), changeIn(form)]
  const result = await orRefusal(changePlanValue(control, id, change, { ifUpdatedAt: versionIn(form) }))
  if (!(result instanceof Refusal)) return { to: `${planPath(id)}?saved=1` }
  if (result.code !== 'plan-changed') return refused(call, result)
  const plan = await readReadablePlan(control, id)
  const now = [[call.reader.words.valueNow, valueNow(call, plan, change)]] as const
  const conflict = await conflictNotice(call, { verbs: ['plan.updated'], target: id, now })
  const { page } = await preview(call, conflict)
  return answerOfRefusal(result, page)
}

async function refused(call: ConsoleCall, refusal: Refusal): Promise<ConsoleAnswer & { page: string }> {
  if (refusal.kind === 'not-found') throw refusal
  const page = await planPage(call, { faults: faultsOfChange(call, refusal) })
  return { ...answerOfRefusal(refusal, page), page }
}

export const removePlan: ConsoleHandler = async (call) => {
  await deletePlan(call.control, idIn(call))
  return { to: `${consolePath('plans')}?saved=1` }
}

const idIn = ({ params: { id = '' } }: ConsoleCall): string => id

interface Shown {
  preview?: Html
  faults?: FormFaults
  conflict?: Html
}

async function planPage(call: ConsoleCall, { preview: part, faults = noFaults, conflict }: Shown) {
  const { words, language } = call.reader
  const plan = await readReadablePlan(call.control, idIn(call))
  const tenants = (await countTenantsOfPlans(call.control.store.control)).get(plan.id) ?? 0
  const form = valueForm(call, { address: planPath(plan.id), of: plan, button: words.planPreview, faults })
  const content = html`<p class="soft">${words.planText} ${tenantsLink(plan.id, writeCount(language, words.planHasTenants, tenants))}</p>
${unreadableNotice(call.reader, { plan: plan.isUnreadable ? plan.id : undefined })}
${conflict}
${part}
${ownValues(call, plan)}
${mayChange(call) ? section(words.valueSetTitle, form) : undefined}
${mayChange(call) ? section(words.planDelete, deleteForm(call, plan, tenants)) : undefined}`
  const audit = consolePath(`audit?target=${encodeURIComponent(plan.id)}`)
  const actions = html`<div class="actions">${linkButton(words.consoleAudit, audit, { look: 'plain' })}</div>`
  return consolePage(call, { part: 'plans', title: words.planTitle(plan.id), actions, content })
}

/** What the plan itself sets, by name. */
function ownValues(call: ConsoleCall, plan: Plan): Html {
  const { words } = call.reader
  const names = [...new Set([...Object.keys(plan.limits), ...Object.keys(plan.env)])].sort()
  if (names.length === 0) return emptyState({ title: words.planEmpty, text: words.planEmptyText })
  const columns = [words.valueColumns.name, words.valueInLimits, words.valueInEnv].map((name) => ({ name }))
  const rows = names.map((name) => [
    nameOf(call, plan, name),
    cellOf(call, plan, { name, level: 'limits' }),
    cellOf(call, plan, { name, level: 'env' }),
  ])
  return html`<div class="values own-values">${table(words.valueShown, columns, rows)}</div>`
}

function nameOf(call: ConsoleCall, { id }: Plan, name: string): Html {
  const about = aboutOf(call.reader.words, name)
  const own = { class: 'breaks', 'data-about': about, 'aria-description': about }
  if (!mayChange(call)) return html`<span${attributes(own)}>${nameText(name)}</span>`
  return html`<a${attributes({ href: `${planPath(id)}?${new URLSearchParams({ name })}`, ...own })}>${nameText(name)}</a>`
}

function cellOf(
  call: ConsoleCall,
  { id, limits, env, updatedAt }: Plan,
  { name, level }: { name: string; level: 'limits' | 'env' },
): Html {
  const { words } = call.reader
  const own = level === 'env' ? env : limits
  if (!Object.hasOwn(own, name)) return html``
  const isOnBoth = Object.hasOwn(limits, name) && Object.hasOwn(env, name)
  const levelName = level === 'env' ? words.valueInEnv : words.valueInLimits
  const label = isOnBoth ? words.valueRemoveFrom(name, levelName) : words.valueRemove(name)
  const remove = mayChange(call)
    ? removeForm(call, { address: planPath(id), updatedAt, name, level, label })
    : undefined
  return html`<span class="value">${level === 'env' ? hidden(words) : plain(words, own[name] ?? '')}${remove}</span>`
}

function deleteForm({ reader }: ConsoleCall, { id }: Plan, tenants: number): Html {
  const { words, language } = reader
  const text = tenants === 0 ? words.planDeleteUnused : writeCount(language, words.planDeleteText, tenants)
  return html`<form method="post" action="${consolePath(`plans/${id}/delete`)}" class="stack">${tokenField(reader)}<p>${text}</p><p>${submitButton(words.planDelete, { look: 'danger' })}</p></form>`
}
