import { type Html, html } from '../../lib/html.ts'
import { Refusal } from '../../lib/refusal.ts'
import {
  changeTenantValue,
  isSecretLevel,
  readValues,
  revealEnv,
  type TenantValues,
} from '../../tenants/index.ts'
import { tokenField } from '../../ui/form.ts'
import { linkButton, submitButton } from '../../ui/parts/controls.ts'
import { banner } from '../../ui/parts/states.ts'
import { type FormFaults, noFaults } from '../../ui/refusal-words.ts'
import { orRefusal } from '../../ui/refused.ts'
import { conflictNotice } from '../conflict-notice.ts'
import {
  type ConsoleCall,
  type ConsoleHandler,
  type ConsoleRoute,
  consolePath,
  mayChange,
} from '../console-call.ts'
import { answerOfRefusal, consolePage, section } from '../frame.ts'
import { tenantPath } from '../record-paths.ts'
import { unreadableNotice } from '../unreadable-notice.ts'
import { versionIn } from '../version-in.ts'
import { changeIn, faultsOfChange, valueFields, valueForm } from './value-form.ts'
import { valueNow, valueTable, withFilter } from './value-table.ts'

const showValues: ConsoleHandler = async (call) => ({
  page: valuesPage(call, { found: await readValues(call.control, idIn(call)) }),
})

const postValue: ConsoleHandler = async (call) => {
  const { control, form } = call
  const [id, change] = [idIn(call), changeIn(form)]
  const result = await orRefusal(changeTenantValue(control, id, change, { ifUpdatedAt: versionIn(form) }))
  if (!(result instanceof Refusal)) return { to: withFilter(pathOf(id), call.query, { saved: '1' }) }
  if (result.kind === 'not-found') throw result
  const found = await readValues(control, id)
  const shown =
    result.code === 'tenant-changed'
      ? {
          conflict: await conflictNotice(call, {
            verbs: ['tenant.updated'],
            target: id,
            now: [[call.reader.words.valueNow, valueNow(call, found.tenant, change)]],
          }),
        }
      : { faults: faultsOfChange(call, result) }
  return answerOfRefusal(result, valuesPage(call, { found, ...shown }))
}

const reveal: ConsoleHandler = async (call) => ({
  page: valuesPage(call, { found: await revealEnv(call.control, idIn(call)), isRevealed: true }),
})

const idIn = ({ params: { id = '' } }: ConsoleCall): string => id

const pathOf = (id: string): string => consolePath(`tenants/${encodeURIComponent(id)}/values`)

interface Shown {
  found: TenantValues
  isRevealed?: boolean
  faults?: FormFaults
  conflict?: Html
}

function valuesPage(
  call: ConsoleCall,
  { found, isRevealed = false, faults = noFaults, conflict }: Shown,
): string {
  const { words } = call.reader
  const { tenant, values } = found
  const address = pathOf(tenant.id)
  const list = valueTable(call, { address, updatedAt: tenant.updatedAt, values, isRevealed })
  const form = section(
    words.valueSetTitle,
    valueForm(call, { address: withFilter(address, call.query), of: tenant, button: words.save, faults }),
  )
  const content = html`<p class="soft">${words.consoleValuesText}</p>
${unreadableNotice(call.reader, { tenant: tenant.isUnreadable, plan: found.plan?.isUnreadable ? found.plan.id : undefined })}
${conflict}
${revealPart(call, found, isRevealed)}
${mayChange(call) ? form : undefined}
${list}`
  const actions = linkButton(words.consoleToTenant, tenantPath(tenant.id), {
    look: 'plain',
  })
  return consolePage(call, { part: 'tenants', title: words.consoleValuesOf(tenant.id), actions, content })
}

function revealPart(
  call: ConsoleCall,
  { tenant, values }: TenantValues,
  isRevealed: boolean,
): Html | undefined {
  const { words } = call.reader
  const hasSecret = values.some(({ name, levels }) =>
    [...levels.keys()].some((level) => isSecretLevel(level, name)),
  )
  if (!hasSecret || !mayChange(call)) return undefined
  if (isRevealed) return banner(html`<p>${words.valueRevealed}</p>`, 'warn')
  return html`<form method="post" action="${pathOf(tenant.id)}/reveal" class="actions">${tokenField(call.reader)}<span class="soft">${words.valueRevealText}</span>${submitButton(words.valueReveal, { look: 'plain', icon: 'eye' })}</form>`
}

const ofTenant = 'tenants/{id}/values'

export const valuePages: readonly ConsoleRoute[] = [
  { method: 'GET', path: ofTenant, handle: showValues },
  { method: 'POST', path: ofTenant, page: ofTenant, keeps: valueFields, handle: postValue },
  { method: 'POST', path: `${ofTenant}/reveal`, proof: true, page: ofTenant, handle: reveal },
]
