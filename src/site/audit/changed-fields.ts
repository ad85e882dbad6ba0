/** Fields of what was changed, in the names of the code. */
export type Fields = Readonly<Record<string, unknown>>

export interface Changed {
  before: Fields
  after: Fields
}

export const redacted = '[redacted]'

/** An e-mail address is no secret, but rows of the log are never changed: they must hold nothing that goes with a person. */
const hidden = /password|secret|token|hash|^public_key$|^(?:pending)?email$/i

/** Whether the values of fields with this name are redacted. */
export const isHidden = (name: string): boolean => hidden.test(name)

/** What every row has, what counts by itself, and the name that goes with its user. */
const unrecordedOfSites: ReadonlySet<string> = new Set([
  'id',
  'version',
  'createdAt',
  'updatedAt',
  'username',
  'views',
  'likes',
  'uploads',
  'lastUsedAt',
  'lastUsedAddress',
  'sealedToken',
])

const longest = 1_000

/**
 * The fields that differ, as they are written into the log: secrets redacted, long texts cut. Without a before, or an after,
 * all fields are recorded. Undefined if nothing differs.
 */
export function changedFields(
  was: object | undefined,
  is: object | undefined,
  unrecorded = unrecordedOfSites,
): Changed | undefined {
  const [before, after] = [was as Fields | undefined, is as Fields | undefined]
  const names = Object.keys({ ...before, ...after }).filter((name) => !unrecorded.has(name))
  const isChange = before !== undefined && after !== undefined
  const recorded = isChange ? names.filter((name) => !isEqual(before[name], after[name])) : names
  if (isChange && recorded.length === 0) return undefined
  return { before: fieldsOf(before, recorded), after: fieldsOf(after, recorded) }
}

const textOf = (value: unknown) => JSON.stringify(value ?? null)

export const isEqual = (one: unknown, other: unknown): boolean => textOf(one) === textOf(other)

const fieldsOf = (fields: Fields | undefined, names: readonly string[]): Fields =>
  fields === undefined
    ? {}
    : Object.fromEntries(
        // A field that one side does not have at all, such as a reason, is recorded of the other alone.
        names
          .filter((name) => name in fields)
          .map((name) => [name, recordedValue(name, fields[name] ?? null)]),
      )

function recordedValue(name: string, value: unknown): unknown {
  if (value === null) return null
  if (isHidden(name)) return redacted
  const text = textOf(value)
  if (text.length <= longest) return value
  return `${typeof value === 'string' ? value.slice(0, longest) : text.slice(0, longest)}…`
}
