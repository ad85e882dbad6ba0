import { type Html, html } from '../../lib/html.ts'
import { Refusal } from '../../lib/refusal.ts'
import { countTenantsOfPlans, createPlan, type ListedPlan, listReadablePlans } from '../../tenants/index.ts'
import { tokenField } from '../../ui/form.ts'
import { linkButton, submitButton, textField } from '../../ui/parts/controls.ts'
import { chip, table } from '../../ui/parts/lists.ts'
import { banner, emptyState } from '../../ui/parts/states.ts'
import { type FormFaults, noFaults, refusalInWords, textsBesides } from '../../ui/refusal-words.ts'
import { orRefusal } from '../../ui/refused.ts'
import { timeTag, writeNumber } from '../../words/format.ts'
import { type ConsoleCall, type ConsoleHandler, consolePath, mayChange } from '../console-call.ts'
import { answerOfRefusal, consolePage } from '../frame.ts'
import { planPath } from '../record-paths.ts'

export const showPlans: ConsoleHandler = async (call) => {
  const { words } = call.reader
  const plans = await listReadablePlans(call.control)
  const tenants = await countTenantsOfPlans(call.control.store.control)
  const create = mayChange(call)
    ? linkButton(words.planNew, consolePath('plans/new'), { icon: 'add' })
    : undefined
  const columns = [
    { name: words.planId },
    { name: words.planTenants, isNumber: true },
    { name: words.planColumnLimits, isNumber: true },
    { name: words.planColumnEnv, isNumber: true },
    { name: words.planChanged },
  ]
  const list =
    plans.length === 0
      ? emptyState({ title: words.planNone, text: words.planNoneText, action: create })
      : html`<p class="soft">${words.planText}</p>${table(
          words.consolePlans,
          columns,
          plans.map((plan) => cellsOf(call, plan, tenants.get(plan.id) ?? 0)),
        )}`
  const actions = plans.length === 0 ? undefined : create
  return { page: consolePage(call, { part: 'plans', title: words.consolePlans, actions, content: list }) }
}

function cellsOf({ reader: { words, language } }: ConsoleCall, plan: ListedPlan, tenants: number): Html[] {
  const { id, limits, env, isUnreadable, updatedAt } = plan
  const count = (of: object) => html`${writeNumber(language, Object.keys(of).length)}`
  return [
    html`<a href="${planPath(id)}" dir="auto">${id}</a>`,
    tenantsLink(id, writeNumber(language, tenants)),
    count(limits),
    isUnreadable ? chip(words.planUnreadable, 'danger') : count(env),
    timeTag(language, updatedAt, 'UTC'),
  ]
}

export const tenantsLink = (id: string, text: string): Html =>
  html`<a href="${consolePath(`tenants?plan=${encodeURIComponent(id)}`)}">${text}</a>`

export const showNewPlan: ConsoleHandler = async (call) => ({ page: newPlanPage(call) })

export const postPlan: ConsoleHandler = async (call) => {
  const id = call.form.get('id')?.trim() ?? ''
  const made = await orRefusal(createPlan(call.control, { id }))
  if (!(made instanceof Refusal)) return { to: `${planPath(made.id)}?saved=1` }
  const faults =
    made.code === 'plan-exists'
      ? new Map([['id', call.reader.words.planTaken(id)]])
      : refusalInWords(call.reader, made)
  return answerOfRefusal(made, newPlanPage(call, faults))
}

function newPlanPage(call: ConsoleCall, faults: FormFaults = noFaults): string {
  const { reader, form } = call
  const { words } = reader
  const content = html`<p class="soft">${words.planNoneText}</p>
<form method="post" action="${consolePath('plans')}" class="stack narrow">
${tokenField(reader)}
${textsBesides(faults, ['id']).map((text) => banner(html`<p>${text}</p>`, 'danger'))}
${textField({
  label: words.planId,
  name: 'id',
  hint: words.planIdHint,
  value: form.get('id') ?? '',
  fault: faults.get('id'),
  more: {
    required: true,
    maxlength: 64,
    autocomplete: 'off',
    autocapitalize: 'off',
    spellcheck: 'false',
    autofocus: true,
  },
})}
<p>${submitButton(words.planCreate)}</p>
</form>`
  return consolePage(call, { part: 'plans', title: words.planNew, content })
}
