import type { ProviderFaults } from '../../../../accounts/index.ts'
import type { Refusal } from '../../../../lib/refusal.ts'
import type { Words } from '../../../../words/en.ts'
import type { FormFaults } from './provider-form.ts'

/** The rules write English; what people meet here has words in every language. */
export function faultsInWords(words: Words, faults: ProviderFaults): FormFaults {
  const texts: Required<ProviderFaults> = {
    name: words.providerNameRule,
    title: words.providerTextRule('64'),
    issuer: words.providerIssuerRule,
    clientId: words.providerTextRule('256'),
    clientSecret: words.providerTextRule('512'),
    scopes: words.providerScopesRule,
  }
  const found = Object.keys(faults) as (keyof ProviderFaults)[]
  return Object.fromEntries(found.map((field) => [field, texts[field]]))
}

export const hasFault = (faults: FormFaults): boolean => Object.keys(faults).length > 0

export function faultsOfRefusal(words: Words, { code, message }: Refusal): FormFaults {
  if (code === 'provider-exists') return { name: words.providerNameTaken }
  if (code === 'issuer-in-use') return { issuer: words.providerIssuerInUse }
  if (code === 'secret-needed') return { clientSecret: words.providerSecretNeeded }
  if (code === 'limit-reached') return { form: words.limitReached(message) }
  return { form: code === 'version-differs' ? words.providerChanged : message }
}
