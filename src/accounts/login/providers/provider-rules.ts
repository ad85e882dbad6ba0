import { type BrokenRule, broken, type Fault, faultsIf } from '../../../lib/faults.ts'
import { invalidProvider } from './provider-errors.ts'
import type { NewUserRole } from './providers-table.ts'

/** What an administrator says of a provider. */
export interface ProviderFields {
  title: string
  /** As the provider's discovery document has it. */
  issuer: string
  clientId: string
  /** Undefined leaves the secret as it is; empty: the client has none. */
  clientSecret: string | undefined
  scopes: string
  isEnabled: boolean
  /** Whether a person without an account here may make one by this provider. */
  isSignUpOpen: boolean
  newUserRole: NewUserRole
}

export const defaultScopes = 'openid email profile'

type Rule = (text: string) => BrokenRule | undefined

/** At `new` is the form for another one. */
export const providerNameFault: Rule = (name) =>
  name !== 'new' && /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/.test(name) ? undefined : broken('providerName')

const plainText =
  (most: number, isOptional = false): Rule =>
  (text) => {
    const { length } = [...text]
    if ((text.trim() === '' && !isOptional) || length > most)
      return isOptional
        ? broken('mostLength', { most, length })
        : broken('length', { least: 1, most, length })
    return /\p{Cc}/u.test(text) ? broken('controlCharacters') : undefined
  }

const issuerFault: Rule = (issuer) => {
  if (issuer.length > 512) return broken('mostLength', { most: 512, length: issuer.length })
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const isPlain = url && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  return isPlain && /^https?:\/\/[!-~]+$/.test(issuer) ? undefined : broken('issuer')
}

/** RFC 6749, section 3.3. */
const scopesFault: Rule = (scopes) => {
  const names = scopes.split(' ')
  const isList = scopes.length <= 512 && names.every((name) => /^[!#-[\]-~]{1,128}$/.test(name))
  return isList && names.includes('openid') ? undefined : broken('scopes')
}

const rules = {
  title: plainText(64),
  issuer: issuerFault,
  clientId: plainText(256),
  clientSecret: plainText(512, true),
  scopes: scopesFault,
} as const satisfies { [Field in keyof ProviderFields]?: Rule }

export function providerFaults(fields: ProviderFields, name?: string): Fault[] {
  const ofFields = Object.entries(rules).flatMap(([field, rule]) =>
    faultsIf(field, rule(fields[field as keyof typeof rules] ?? '')),
  )
  return [...faultsIf('name', name === undefined ? undefined : providerNameFault(name)), ...ofFields]
}

export function checkProviderFields(fields: ProviderFields, name?: string): void {
  const faults = providerFaults(fields, name)
  if (faults.length > 0) throw invalidProvider(faults)
}
