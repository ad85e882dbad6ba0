import { type TObject, Type } from 'typebox'
import { Format } from 'typebox/format'
import { type BrokenRule, broken, type Fault, faultsIf } from '../lib/faults.ts'
import { idForm } from '../lib/ids.ts'
import { largestWholeNumber } from '../lib/sizes.ts'
import type { LooseBody } from './endpoint.ts'

/**
 * The fields of requests and answers. Those of requests have bounds: what the document says is what the server checks. `x-rule` is the fault of a
 * text that does not match the pattern.
 */
interface TextOptions {
  least?: number
  most: number
  description: string
  pattern?: string | undefined
  rule?: BrokenRule
  examples?: readonly string[]
}

/** A text; PostgreSQL refuses a NUL in one. */
export const Text = ({
  least = 0,
  most,
  description,
  pattern = '^[^\\u0000]*$',
  rule = broken('nul'),
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
    rule: broken('filledLength', { most }),
  })

/** What names a thing in an address. */
export const Id = (description: string, rule = broken('id')) =>
  Type.String({ maxLength: 64, pattern: idForm, 'x-rule': rule, description })

/** One of a few words. */
export const Word = (words: readonly string[], description: string) =>
  Type.String({ enum: [...words], description })

/** An object without other fields. */
export const Closed = { additionalProperties: false }

export const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })

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
    'x-rule': broken('time'),
    description,
  })

/** A time in an answer. */
export const Timestamp = (description: string) =>
  Type.String({ description: `${description}. RFC 3339, UTC` })

export const writeTime = (at: Date | undefined) => at?.toISOString() ?? null

export const largestRowNumber = 2_147_483_647

export const Whole = (least: number, most: number, description: string) =>
  Type.Integer({ minimum: least, maximum: most, description })

/** Which bound of its schema a value breaks; undefined if it breaks none. */
export function boundFault(schema: BoundedSchema, value: unknown): BrokenRule | undefined {
  if (schema.enum && !schema.enum.includes(value))
    return broken('oneOf', {
      words: schema.enum.map(String),
      ...(typeof value === 'string' && { given: value.slice(0, 80) }),
    })
  if (typeof value === 'number') return numberFault(schema, value)
  if (typeof value === 'string') return textFault(schema, value)
  if (!Array.isArray(value)) return undefined
  const { minItems = 0, maxItems = value.length } = schema
  if (value.length >= minItems && value.length <= maxItems) return undefined
  const count = value.length
  return minItems === 0
    ? broken('mostEntries', { most: maxItems, count })
    : broken('entries', { least: minItems, most: maxItems, count })
}

function numberFault({ minimum = 0, maximum = largestWholeNumber }: BoundedSchema, value: number) {
  return value >= minimum && value <= maximum
    ? undefined
    : broken('numberRange', { least: minimum, most: maximum, given: value })
}

function textFault(schema: BoundedSchema, text: string): BrokenRule | undefined {
  const { minLength = 0, maxLength, pattern, format, 'x-rule': rule = broken('form') } = schema
  const length = [...text].length
  // A day is refused by its form, which says more than its length.
  if (format !== 'date' && (length < minLength || length > (maxLength ?? length)))
    return maxLength === undefined
      ? broken('leastLength', { least: minLength, length })
      : broken('length', { least: minLength, most: maxLength, length })
  if (pattern !== undefined && !new RegExp(pattern, 'u').test(text)) return rule
  return format === 'date-time' && !readTime(text) ? rule : undefined
}

/** The fields of a form that break their bounds; what is missing or null is another matter. */
export function givenFaults({ properties }: TObject, body: LooseBody): Fault[] {
  return Object.entries(body).flatMap(([name, value]) => {
    const { anyOf: [schema] = [properties[name] as BoundedSchema | undefined] } = (properties[name] ??
      {}) as { anyOf?: BoundedSchema[] }
    if (value === undefined || value === null || schema === undefined) return []
    return faultsIf(name, boundFault(schema, value))
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
  'x-rule'?: BrokenRule
}
