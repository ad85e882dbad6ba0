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

type Rule = (text: string) => string | undefined

/** At `new` is the form for another one. */
export const providerNameFault: Rule = (name) =>
  name !== 'new' && /^[a-z0-9](?:[a-z0-9-]{0,30}[a-z0-9])?$/.test(name)
    ? undefined
    : 'must be 1 to 32 of a-z 0-9 -, neither begin nor end with -, and not be "new"'

const plainText =
  (most: number, isOptional = false): Rule =>
  (text) => {
    const { length } = [...text]
    if ((text.trim() === '' && !isOptional) || length > most)
      return `must be ${isOptional ? 'at most' : '1 to'} ${most} characters long, not ${length}`
    return /\p{Cc}/u.test(text) ? 'must not contain control characters' : undefined
  }

const issuerFault: Rule = (issuer) => {
  if (issuer.length > 512) return `must be at most 512 characters long, not ${issuer.length}`
  const url = URL.canParse(issuer) ? new URL(issuer) : undefined
  const isPlain = url && url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  return isPlain && /^https?:\/\/[!-~]+$/.test(issuer)
    ? undefined
    : 'must be an address as https://login.example.com/realm, without user name, ? and #'
}

/** RFC 6749, section 3.3. */
const scopesFault: Rule = (scopes) => {
  const names = scopes.split(' ')
  const isList = scopes.length <= 512 && names.every((name) => /^[!#-[\]-~]{1,128}$/.test(name))
  return isList && names.includes('openid')
    ? undefined
    : 'must be scopes separated by one space, openid among them'
}

const rules = {
  title: plainText(64),
  issuer: issuerFault,
  clientId: plainText(256),
  clientSecret: plainText(512, true),
  scopes: scopesFault,
} as const satisfies { [Field in keyof ProviderFields]?: Rule }

export type ProviderFaults = Partial<Record<keyof typeof rules | 'name', string>>

export function providerFaults(fields: ProviderFields, name?: string): ProviderFaults {
  const found = Object.entries(rules).map(([field, rule]) => [
    field,
    rule(fields[field as keyof typeof rules] ?? ''),
  ])
  const ofName = name === undefined ? undefined : providerNameFault(name)
  return Object.fromEntries([['name', ofName], ...found].filter(([, fault]) => fault !== undefined))
}

export function checkProviderFields(fields: ProviderFields, name?: string): void {
  const faults = Object.entries(providerFaults(fields, name)).map(([field, fault]) => `${field}: ${fault}`)
  if (faults.length > 0) throw invalidProvider(faults)
}
