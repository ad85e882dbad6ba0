import fc from 'fast-check'

export interface DescribedSchema {
  $ref?: string
  type?: string
  enum?: readonly unknown[]
  examples?: readonly unknown[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  minItems?: number
  maxItems?: number
  minProperties?: number
  items?: DescribedSchema
  anyOf?: readonly DescribedSchema[]
  properties?: Readonly<Record<string, DescribedSchema>>
  required?: readonly string[]
  patternProperties?: Readonly<Record<string, DescribedSchema>>
  contentMediaType?: string
}

export interface DescribedParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  schema: DescribedSchema
}

export interface DescribedCall {
  id: string
  method: string
  path: string
  parameters: readonly DescribedParameter[]
  /** By content type. */
  bodies: Readonly<Record<string, { schema: DescribedSchema; example?: unknown }>>
  responses: Readonly<Record<string, any>>
}

/** Every call of an OpenAPI document, with its references resolved. */
export function describedCalls(document: any): DescribedCall[] {
  const whole = (part: any): any =>
    part?.$ref
      ? part.$ref
          .split('/')
          .slice(1)
          .reduce((at: any, name: string) => at[name], document)
      : part
  return Object.entries<any>(document.paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, operation]) => ({
      id: operation.operationId,
      method: method.toUpperCase(),
      path,
      parameters: (operation.parameters ?? []).map(whole),
      bodies: operation.requestBody?.content ?? {},
      responses: operation.responses,
    })),
  )
}

/** The texts, lists and numbers of requests for which a document allows values of any size. */
export const unboundedFields = (document: unknown): string[] =>
  describedCalls(document).flatMap(({ id, parameters, bodies }) => [
    ...parameters.flatMap(({ name, schema }) => unboundedIn(schema, `${id} ${name}`)),
    ...Object.entries(bodies).flatMap(([type, { schema }]) => unboundedIn(schema, `${id} ${type} `)),
  ])

function unboundedIn(schema: DescribedSchema, at: string): string[] {
  const { type, anyOf, items, properties = {}, patternProperties = {} } = schema
  if (anyOf) return anyOf.flatMap((part) => unboundedIn(part, at))
  if (type === 'object')
    return [
      ...Object.entries(properties).flatMap(([name, part]) => unboundedIn(part, `${at}/${name}`)),
      ...Object.values(patternProperties).flatMap((part) => unboundedIn(part, `${at}/*`)),
    ]
  if (type === 'array')
    return [...(schema.maxItems === undefined ? [at] : []), ...unboundedIn(items ?? {}, `${at}/0`)]
  if (schema.enum || type === 'boolean' || type === 'null') return []
  if (type === 'integer' || type === 'number')
    return schema.minimum === undefined || schema.maximum === undefined ? [at] : []
  const { maxLength, pattern, format, contentMediaType } = schema
  return [maxLength, pattern, format, contentMediaType].every((bound) => bound === undefined) ? [at] : []
}

/** Values that a schema allows. */
export function allowedBy(schema: DescribedSchema): fc.Arbitrary<unknown> {
  const { type, anyOf, items, properties = {}, required = [], minProperties = 0 } = schema
  if (anyOf) return fc.oneof(...anyOf.map(allowedBy))
  if (schema.enum) return fc.constantFrom(...schema.enum)
  if (schema.examples) return fc.constantFrom(...schema.examples)
  if (type === 'null') return fc.constant(null)
  if (type === 'boolean') return fc.boolean()
  if (type === 'integer') return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 9 })
  if (type === 'array')
    return fc.array(allowedBy(items ?? {}), {
      minLength: schema.minItems ?? 0,
      maxLength: Math.min(4, schema.maxItems ?? 4),
    })
  if (type === 'object') {
    const fields = Object.fromEntries(
      Object.entries(properties).map(([name, part]) => [name, allowedBy(part)]),
    )
    return fc
      .record(fields, { requiredKeys: required as string[] })
      .filter((value) => Object.keys(value).length >= minProperties)
  }
  return textsOf(schema)
}

/** Forms that most texts have. */
const isCommon = (pattern: string) => /^\^(?:\[\^|\(\?=|\\P)/.test(pattern)

function textsOf({ format, pattern, minLength = 0, maxLength = 64 }: DescribedSchema): fc.Arbitrary<string> {
  // Of two days the first must not be the later one.
  if (format === 'date') return fc.constant('2026-01-31')
  if (format === 'date-time')
    return fc
      .date({ min: new Date('2027-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString())
  if (pattern !== undefined && !isCommon(pattern)) return fc.stringMatching(new RegExp(pattern))
  const fits = (text: string) => {
    const { length } = [...text]
    return length >= minLength && length <= maxLength && (!pattern || new RegExp(pattern, 'u').test(text))
  }
  const most = Math.min(maxLength, 12)
  const short = fc
    .string({ unit: 'grapheme', minLength: Math.min(minLength, most), maxLength: most })
    .filter(fits)
  return minLength > most
    ? fc.constant('x'.repeat(minLength))
    : fc.oneof({ weight: 4, arbitrary: short }, { weight: 1, arbitrary: fc.constant('x'.repeat(maxLength)) })
}

/** Values that break one bound each, with the path of the field that is to be named. */
export function outside(
  schema: DescribedSchema,
  at: readonly string[] = [],
): [path: readonly string[], value: unknown][] {
  const { type, anyOf, items, properties = {} } = schema
  if (anyOf) {
    const [first] = anyOf
    return first ? outside(first, at) : []
  }
  if (schema.enum) return [[at, type === 'boolean' ? 'maybe' : 'no such word']]
  if (type === 'object')
    return Object.entries(properties).flatMap(([name, part]) => outside(part, [...at, name]))
  if (type === 'array') {
    const one = fc.sample(allowedBy(items ?? {}), { numRuns: 1, seed: 7 })[0]
    return [
      [at, Array((schema.maxItems ?? 0) + 1).fill(one)],
      ...((schema.minItems ?? 0) > 0 ? [[at, []] as [readonly string[], unknown]] : []),
      ...outside(items ?? {}, [...at, '0']),
    ]
  }
  if (type === 'integer')
    return [
      ...(schema.minimum === undefined ? [] : [[at, schema.minimum - 1] as [readonly string[], unknown]]),
      ...(schema.maximum === undefined ? [] : [[at, schema.maximum + 1] as [readonly string[], unknown]]),
    ]
  if (type !== 'string') return []
  const texts = [
    ...(schema.maxLength === undefined ? [] : ['x'.repeat(schema.maxLength + 1)]),
    ...((schema.minLength ?? 0) > 0 ? ['x'.repeat((schema.minLength ?? 1) - 1)] : []),
    ...(schema.pattern === undefined ? [] : ['\0']),
  ]
  return texts.map((text) => [at, text])
}
