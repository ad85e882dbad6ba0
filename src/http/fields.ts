import { type TObject, Type } from 'typebox'
import { Format } from 'typebox/format'
import { idForm } from '../lib/ids.ts'
import { largestWholeNumber } from '../lib/sizes.ts'
import type { LooseBody } from './endpoint.ts'

/**
 * The fields of requests, each with its bounds: what the document says is what the server checks. `x-rule` is what a refusal
 * says of a text that does not match the pattern.
 */
interface TextOptions {
  least?: number
  most: number
  description: string
  pattern?: string | undefined
  rule?: string
  examples?: readonly string[]
}

/** A text; PostgreSQL refuses a NUL in one. */
export const Text = ({
  least = 0,
  most,
  description,
  pattern = '^[^\\u0000]*$',
  rule = 'must not contain NUL',
  examples,
}: TextOptions) =>
  Type.String({
    ...(least > 0 && { minLength: least }),
    maxLength: most,
    pattern,
    'x-rule': rule,
    description,
    ...(examples && { examples }),
  })

/** A text that is not blank. */
export const FilledText = ({ most, description }: Pick<TextOptions, 'most' | 'description'>) =>
  Text({
    least: 1,
    most,
    description,
    pattern: '^(?=[\\s\\S]*\\S)[^\\u0000]*$',
    rule: `must be 1 to ${most} characters long, not blank and without NUL`,
  })

/** What names a thing in an address. */
export const Id = (description: string, rule = 'must be an id of letters and digits') =>
  Type.String({ maxLength: 64, pattern: idForm, 'x-rule': rule, description })

/** One of a few words. */
export const Word = (words: readonly string[], description: string) =>
  Type.String({ enum: [...words], description })

const timeForm = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/

/** Undefined if the text is no time in UTC, or not a day of the calendar. */
export function readTime(text: string): Date | undefined {
  if (!timeForm.test(text)) return undefined
  const at = new Date(text)
  // Date takes 30 February for 2 March.
  return !Number.isNaN(at.getTime()) && at.toISOString().startsWith(text.slice(0, 19)) ? at : undefined
}

Format.Set('date-time', (text) => readTime(text) !== undefined)

export const Time = (description: string) =>
  Type.String({
    format: 'date-time',
    maxLength: 30,
    pattern: timeForm.source,
    'x-rule': 'must be a time in UTC like 2027-01-31T12:00:00.000Z',
    description,
  })

export const largestRowNumber = 2_147_483_647

export const Whole = (least: number, most: number, description: string) =>
  Type.Integer({ minimum: least, maximum: most, description })

/** Which bound of its schema a value breaks, in words; undefined if it breaks none. */
export function boundFault(schema: BoundedSchema, value: unknown): string | undefined {
  if (schema.enum && !schema.enum.includes(value))
    return `must be one of ${schema.enum.join(', ')}${typeof value === 'string' ? `, not "${value.slice(0, 80)}"` : ''}`
  if (typeof value === 'number') return numberFault(schema, value)
  if (typeof value === 'string') return textFault(schema, value)
  if (!Array.isArray(value)) return undefined
  const { minItems = 0, maxItems = value.length } = schema
  if (value.length >= minItems && value.length <= maxItems) return undefined
  return minItems === 0
    ? `must have at most ${maxItems} entries, not ${value.length}`
    : `must have ${minItems} to ${maxItems} entries, not ${value.length}`
}

function numberFault({ minimum = 0, maximum = largestWholeNumber }: BoundedSchema, value: number) {
  return value >= minimum && value <= maximum
    ? undefined
    : `must be a whole number from ${minimum} to ${maximum}, not ${value}`
}

function textFault(schema: BoundedSchema, text: string): string | undefined {
  const {
    minLength = 0,
    maxLength,
    pattern,
    format,
    'x-rule': rule = 'has another form than is expected',
  } = schema
  const length = [...text].length
  if (length < minLength || length > (maxLength ?? length))
    return maxLength === undefined
      ? `must be at least ${minLength} characters long, not ${length}`
      : `must be ${minLength} to ${maxLength} characters long, not ${length}`
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return rule
  return format === 'date-time' && !readTime(text) ? rule : undefined
}

/** The lines of the fields of a form that break their bounds; what is missing or null is another matter. */
export function givenFaults({ properties }: TObject, body: LooseBody): string[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const { anyOf: [schema] = [properties[name] as BoundedSchema | undefined] } = (properties[name] ??
      {}) as { anyOf?: BoundedSchema[] }
    if (value === undefined || value === null || schema === undefined) return []
    const fault = boundFault(schema, value)
    return fault === undefined ? [] : [`${name}: ${fault}`]
  })
}

/** The keywords of a schema that bound its values. */
export interface BoundedSchema {
  enum?: readonly unknown[]
  format?: string
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  minimum?: number
  maximum?: number
  pattern?: string
  'x-rule'?: string
}
