import { addressFault, keyNameFault, maxAddresses, maxOrigins, originFault } from '../../accounts/index.ts'
import { type BrokenRule, detailOf } from '../../lib/faults.ts'
import { isId } from '../../lib/ids.ts'
import { parsePassphrase } from '../../lib/setting-parsers.ts'
import { parseWholeNumber } from '../../lib/sizes.ts'
import { parseJsonObject } from '../../lib/strict-json.ts'
import { isDay, readTime } from '../../lib/times.ts'
import { option, required, secret, text } from './option.ts'

export const newPassphrase = (help: string) =>
  ({ ...option('TEXT', help, parsePassphrase), isSecret: true }) as const

export const zeroOrOne = (help: string) =>
  option('0|1', help, (value) => {
    if (value !== '0' && value !== '1') throw new Error(`must be 0 or 1, not "${value}"`)
    return value === '1'
  })

export const time = (help: string) =>
  option('TIME', help, (value) => {
    const at = readTime(value)
    if (!at) throw new Error(`must be a time in UTC like "2030-12-31 23:59:59", not "${value}"`)
    return at
  })

export const day = (help: string) =>
  option('DAY', help, (value) => {
    if (!isDay(value)) throw new Error(`must be a day like 2030-12-31, not "${value}"`)
    return value
  })

const highestNumber = 2_147_483_647

export const number = (help: string) =>
  option('NUMBER', help, (value) => {
    const read = parseWholeNumber(value)
    if (read === undefined || read > highestNumber) throw new Error(`must be a whole number, not "${value}"`)
    return read
  })

export const wholeFrom = (least: number, most: number, help: string) =>
  option('NUMBER', `${help}, ${least} to ${most}`, (value) => {
    const read = parseWholeNumber(value)
    if (read === undefined || read < least || read > most)
      throw new Error(`must be a whole number from ${least} to ${most}, not "${value}"`)
    return read
  })

/** Ids separated by commas. */
export const idList = (help: string) =>
  option('ID,…', help, (value) => {
    const ids = value.split(',').map((id) => id.trim())
    if (ids.some((id) => !isId(id))) throw new Error(`must be ids, not "${value}"`)
    return ids as readonly string[]
  })

export const count = (help: string) =>
  option('NUMBER', help, (value) => {
    const read = parseWholeNumber(value)
    if (!read || read > 100_000) throw new Error(`must be a whole number from 1 to 100000, not "${value}"`)
    return read
  })

export const oneOf = <const C extends string>(choices: readonly C[], help: string) =>
  option(choices.join('|'), help, (value) => {
    const choice = choices.find((each) => each === value)
    if (choice === undefined) throw new Error(`must be one of ${choices.join(', ')}, not "${value}"`)
    return choice
  })

export const shortName = (help: string) =>
  option('NAME', help, (value) => {
    if (!/^[^\p{C}]{1,100}$/u.test(value)) throw new Error('must be 1 to 100 characters')
    return value
  })

export const keyName = (help: string) =>
  option('NAME', help, (value) => {
    const fault = keyNameFault(value)
    if (fault !== undefined) throw new Error(detailOf(fault))
    return value
  })

type Rule = (text: string) => BrokenRule | undefined

/** Values separated by commas, each of which keeps a rule. */
const listOf = (form: string, help: string, broken: Rule, most: number) =>
  option(form, help, (value): readonly string[] => {
    const values = value.split(',').map((each) => each.trim())
    for (const each of values) {
      const rule = broken(each)
      if (rule) throw new Error(`${detailOf(rule)}, not "${each}"`)
    }
    if (values.length > most) throw new Error(`must be at most ${most}, not ${values.length}`)
    return values
  })

export const originList = (help: string) => listOf('ORIGIN,…', help, originFault, maxOrigins)
export const addressList = (help: string) => listOf('RANGE,…', help, addressFault, maxAddresses)

export const tenant = required(text('ID', "the tenant's id"))
export const username = required(text('NAME', "the user's name"))
export const email = required(text('ADDRESS', "the user's e-mail address"))
export const password = secret("the user's password, 6 to 128 characters")

/** As in the API, an empty string or `null` means no plan. */
export const planId = option('PLAN', 'the plan; "" or null for none', (value) =>
  value === 'null' ? null : value,
)

/** As in the API, `null` clears the map, and `[]` is read as an empty map. */
export const map = (help: string) =>
  option('JSON', help, (value) => {
    if (value.trim() === 'null') return null
    if (/^\s*\[\s*\]\s*$/.test(value)) return {}
    const object = parsed(value)
    const bad = Object.keys(object).filter((name) => !scalars.has(typeof object[name]))
    if (bad.length > 0) throw new Error(`${bad.join(', ')} must be a string, a number or a boolean`)
    return object as Record<string, string | number | boolean>
  })

const scalars = new Set(['string', 'number', 'boolean'])

function parsed(value: string): Record<string, unknown> {
  return parseJsonObject(Buffer.from(value), 'the value')
}
