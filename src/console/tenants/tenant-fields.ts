import { type Html, html } from '../../lib/html.ts'
import type { Refusal } from '../../lib/refusal.ts'
import type { Plan } from '../../tenants/index.ts'
import { codeField, textField } from '../../ui/parts/controls.ts'
import { banner } from '../../ui/parts/states.ts'
import { type FormFaults, refusalInWords, textsBesides } from '../../ui/refusal-words.ts'
import type { Words } from '../../words/en.ts'
import { type ConsoleCall, isKept } from '../console-call.ts'

/** No plan first, then every plan. A plan that is gone stays chosen, so that the form says what it was sent with. */
export function planOptions(
  words: Words,
  plans: readonly Plan[],
  chosen?: string,
): readonly (readonly [value: string, text: string])[] {
  const ids = plans.map(({ id }) => id)
  const all = chosen === undefined || chosen === '' || ids.includes(chosen) ? ids : [...ids, chosen]
  return [['', words.tenantNoPlan], ...all.map((id) => [id, id] as const)]
}

const accountNames = ['username', 'email', 'password'] as const

export const tenantFields: readonly string[] = ['id', 'hostname', 'plan_id', ...accountNames]

/** Of the administrator in a form. */
export const accountIn = (form: URLSearchParams) => ({
  username: form.get('username')?.trim() ?? '',
  email: form.get('email')?.trim() ?? '',
  password: form.get('password') ?? '',
})

/** The plan that a form names; null for none. */
export const planIn = (form: URLSearchParams): string | null => form.get('plan_id') || null

/** Why a tenant was refused, by field. */
export function tenantFaults({ reader }: ConsoleCall, refusal: Refusal): FormFaults {
  const { words } = reader
  const known: Readonly<Record<string, readonly [field: string, text: string]>> = {
    'tenant-exists': ['id', words.tenantTaken],
    'hostname-taken': ['hostname', words.tenantHostnameTaken],
    'unknown-plan': ['plan_id', words.tenantPlanGone],
    'already-installed': ['', words.tenantInstalledAlready],
  }
  const fault = Object.hasOwn(known, refusal.code) ? known[refusal.code] : undefined
  return fault ? new Map([fault]) : refusalInWords(reader, refusal)
}

/** What none of the fields shows. */
export const faultsBesides = (faults: FormFaults, fields: readonly string[]): Html[] =>
  textsBesides(faults, fields).map((text) => banner(html`<p>${text}</p>`, 'danger'))

/** The fields of the site's first administrator. A password that was sent is not sent back. */
export function accountFields(call: ConsoleCall, faults: FormFaults, isRequired: boolean): Html {
  const { words } = call.reader
  const more = { autocapitalize: 'none', autocomplete: 'off', spellcheck: 'false', required: isRequired }
  const textOf = (name: string) => (faults.size > 0 || isKept(call) ? (call.form.get(name) ?? '') : '')
  return html`${textField({ label: words.username, name: 'username', value: textOf('username'), fault: faults.get('username'), more })}
${textField({ label: words.tenantEmail, name: 'email', value: textOf('email'), fault: faults.get('email'), more: { ...more, inputmode: 'email' } })}
${textField({ label: words.password, name: 'password', fault: faults.get('password'), more: { ...more, type: 'password', autocomplete: 'new-password' } })}`
}

/** A secret that was made just now, this once. */
export const shownOnce = ({ words }: { words: Words }, text: string, label: string, secret: string): Html =>
  banner(
    html`<p>${text}</p>${codeField({ id: 'secret', label, text: secret, copy: { label: words.copy, name: words.copy } })}`,
    'good',
  )
