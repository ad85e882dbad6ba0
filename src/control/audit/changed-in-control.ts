import { changedFields, defaultValues, isEqual, limitNames, redacted } from '../../site/index.ts'

export interface ChangedInControl {
  before: Readonly<Record<string, unknown>>
  after: Readonly<Record<string, unknown>>
}

/** What every row has. */
const unrecorded: ReadonlySet<string> = new Set([
  'id',
  'version',
  'createdAt',
  'updatedAt',
  'lastUsedAt',
  // Recorded by their entries.
  'limits',
  'env',
])

type Entries = Readonly<Record<string, unknown>>
interface WithMaps {
  limits?: Entries | undefined
  env?: Entries | undefined
}

/**
 * The fields that differ. Of `limits` only the entries that differ, and of `env` only the names of these: an `env` whose
 * value alone was changed has its name on both sides. Undefined if nothing differs.
 */
export function changedInControl(
  was: object | undefined,
  is: object | undefined,
): ChangedInControl | undefined {
  const fields = changedFields(was, is, unrecorded)
  const [before, after] = [mapsOf(was, is), mapsOf(is, was)]
  const hasMaps = Object.keys({ ...before, ...after }).length > 0
  if (!fields && !hasMaps) return undefined
  return { before: { ...fields?.before, ...before }, after: { ...fields?.after, ...after } }
}

/** Those of one side. A map is recorded on both sides if it differs, and on one side if there is no other and it has entries. */
function mapsOf(one: object | undefined, other: object | undefined): Record<string, unknown> {
  const { limits, env }: WithMaps = one ?? {}
  const { limits: otherLimits, env: otherEnv }: WithMaps = other ?? {}
  const isRecorded = (map: Entries | undefined, otherMap: Entries | undefined) =>
    map !== undefined && !isEqual(sorted(map), sorted(otherMap ?? {}))
  return {
    ...(limits &&
      isRecorded(limits, otherLimits) && {
        limits: Object.fromEntries(
          differing(limits, otherLimits).map(([name, value]) => [name, shown(name, value)]),
        ),
      }),
    ...(env && isRecorded(env, otherEnv) && { env: differing(env, otherEnv).map(([name]) => name) }),
  }
}

const sorted = (map: Entries) => Object.entries(map).sort(([one], [other]) => (one < other ? -1 : 1))

const differing = (map: Entries, other: Entries = {}) =>
  Object.entries(map).filter(([name, value]) => !isEqual(value, other[name]))

const longestValue = 200

/** Only values that Terrace knows are shown: they hold no secret, while an operator may have put one under any other name. */
function shown(name: string, value: unknown): string {
  if (!limitNames.has(name) && !defaultValues.has(name)) return redacted
  const text = String(value)
  return text.length <= longestValue ? text : `${text.slice(0, longestValue)}…`
}
