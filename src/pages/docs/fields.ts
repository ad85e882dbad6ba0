import type { OpenApi, Schema } from '../../http/openapi/openapi-document.ts'

export interface Field {
  /** With the names of the fields around it: `stats.files`, `servers[].url`, `routers.{name}.rule`. */
  name: string
  type: string
  isRequired: boolean
  description: string
}

/** Every field of a schema; fields inside an object come after it. */
export function fieldsOf(description: OpenApi, schema: Schema, prefix = ''): Field[] {
  const {
    properties = {},
    required = [],
    items,
    patternProperties,
  } = withoutNull(resolved(description, schema))
  if (items) return fieldsOf(description, items, prefix === '' ? '' : `${prefix.slice(0, -1)}[].`)
  if (patternProperties) return fieldsOf(description, mapValue(patternProperties), `${prefix}{name}.`)
  return Object.entries(properties).flatMap(([name, field]) => {
    const own = {
      name: prefix + name,
      type: typeOf(description, field),
      isRequired: required.includes(name),
      description: textOf(field),
    }
    const inner = fieldsOf(description, withoutNull(field), `${prefix}${name}.`)
    // An object without a description is visible in the names of its fields.
    return own.description === '' && inner.length > 0 ? inner : [own, ...inner]
  })
}

/** A type in words: `map of strings or null`. */
export function typeOf(description: OpenApi, schema: Schema, ending = ''): string {
  const { type = 'any', anyOf, items, patternProperties } = resolved(description, schema)
  if (anyOf) return unionOf(anyOf.map((part) => typeOf(description, part, isNull(part) ? '' : ending)))
  if (items) return `array${ending} of ${typeOf(description, items, 's')}`
  if (patternProperties) return `map${ending} of ${typeOf(description, mapValue(patternProperties), 's')}`
  return type + ending
}

export function resolved(description: OpenApi, schema: Schema): Schema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (description.components.schemas[name] ?? {})
}

function unionOf(types: readonly string[]): string {
  const last = types.at(-1) ?? ''
  const others = types.slice(0, -1).join(', ')
  return others.includes(' or ') ? `${others}, or ${last}` : `${others} or ${last}`
}

function textOf(field: Schema): string {
  const { description = '', default: fallback } = withoutNull(field)
  const text = field.description ?? description
  return fallback === undefined ? text : `${text}. \`${JSON.stringify(fallback)}\` when left out`
}

const withoutNull = (schema: Schema): Schema => schema.anyOf?.find((part) => !isNull(part)) ?? schema

const isNull = (schema: Schema) => schema.type === 'null'

const mapValue = (patterns: Readonly<Record<string, Schema>>): Schema => Object.values(patterns)[0] ?? {}
