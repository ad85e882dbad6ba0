import { type Static, Type } from 'typebox'
import { type Fault, faultOf } from '../../lib/faults.ts'
import { type BulkAction, type BulkChange, type BulkResult, bulkActions } from '../../media/index.ts'
import type { LooseBody } from '../endpoint.ts'
import { Closed, givenFaults, Id, largestRowNumber, orNull, Text, Whole, Word } from '../fields.ts'
import { editFields, fileEditFaults, readFileEdit } from './file-edits.ts'

const mostIds = 500
const mostAtomic = 100
export const mostReason = 500

const File = Id('A file')

const Target = Type.Union([
  File,
  Type.Object({ id: File, version: Whole(0, largestRowNumber, 'The expected version') }, Closed),
])

export const BulkBody = Type.Object(
  {
    action: Word(bulkActions, `One of ${bulkActions.map((action) => `\`${action}\``).join(', ')}`),
    ids: Type.Array(Target, {
      minItems: 1,
      maxItems: mostIds,
      description: `1 to ${mostIds} ids, each once, with or without the expected version`,
    }),
    set: Type.Optional(
      Type.Object(editFields, {
        ...Closed,
        description: 'The fields for `edit` and `move`, which need one; `move` accepts only `album_id`',
      }),
    ),
    reason: Type.Optional(
      Text({
        most: mostReason,
        description: `Why, for \`reject\` and \`trash\`: at most ${mostReason} characters, shown to the owner`,
      }),
    ),
    atomic: Type.Optional(
      Type.Boolean({ description: `\`true\`: all files or none, at most ${mostAtomic}` }),
    ),
  },
  Closed,
)

export const BulkObject = Type.Object({
  results: Type.Array(
    Type.Object({
      id: Type.String({ description: 'The file' }),
      status: Type.Integer({ description: '200, or the status of its refusal' }),
      code: Type.String({ description: '`ok`, or the code of its refusal' }),
      version: orNull(
        Type.Integer(),
        'Its new version; null if it was not changed, or was permanently deleted',
      ),
    }),
    { description: 'In the order sent' },
  ),
  succeeded: Type.Integer({ description: 'How many files were changed' }),
  failed: Type.Integer({ description: 'How many files were not changed' }),
})

/** Rules of the body beyond its schema. */
export function bulkFaults({ action, ids, set, atomic, reason }: LooseBody): Fault[] {
  const isKnown = (bulkActions as readonly unknown[]).includes(action)
  return [
    ...(Array.isArray(ids) ? idFaults(ids, atomic === true ? mostAtomic : mostIds) : []),
    ...(isKnown ? setFaults(action as BulkAction, set) : []),
    ...(reason === undefined || action === 'reject' || action === 'trash'
      ? []
      : [faultOf('reason', 'reasonUnneeded')]),
  ]
}

/** For forms of pages. */
export const reasonFaults = (body: LooseBody): Fault[] => givenFaults(BulkBody, body)

function idFaults(ids: readonly unknown[], most: number): Fault[] {
  if (ids.length > most) return [faultOf('ids', 'entries', { least: 1, most, count: ids.length })]
  const seen = new Set<unknown>()
  return ids.flatMap((entry, index) => {
    const id = typeof entry === 'object' && entry !== null ? (entry as { id?: unknown }).id : entry
    const isDoubled = seen.has(id)
    seen.add(id)
    return isDoubled ? [faultOf(`ids.${index}`, 'givenTwice')] : []
  })
}

function setFaults(action: BulkAction, set: unknown): Fault[] {
  const takesSet = action === 'edit' || action === 'move'
  if (set === undefined) return takesSet ? [faultOf('set', 'requiredFor', { action })] : []
  if (!takesSet) return [faultOf('set', 'setUnneeded', { action })]
  if (typeof set !== 'object' || set === null) return []
  const fields = Object.keys(set)
  const isMove = fields.length === 1 && fields[0] === 'album_id'
  return [
    ...(action === 'move' && !isMove ? [faultOf('set', 'setOfMove')] : []),
    ...(fields.length === 0 ? [faultOf('set', 'noSetField')] : []),
    ...fileEditFaults(set as LooseBody).map((fault) => ({ ...fault, field: `set.${fault.field}` })),
  ]
}

export function readBulk(body: unknown): BulkChange {
  const { action, ids, set = {}, atomic = false, reason } = body as Static<typeof BulkBody>
  const targets = ids.map((entry) => (typeof entry === 'string' ? { id: entry, version: undefined } : entry))
  return {
    action: action as BulkAction,
    targets,
    edit: readFileEdit(set),
    isAtomic: atomic,
    reason: reason?.trim() || undefined,
  }
}

/** The outcome of one file as the API reports it. */
type Outcome = { status: number; code: string }

export function writeBulk(results: readonly BulkResult[], outcomeOf: (refusal: Error) => Outcome) {
  const failed = results.filter(({ refusal }) => refusal).length
  return {
    results: results.map(({ id, refusal, version }) => ({
      id,
      ...(refusal ? outcomeOf(refusal) : { status: 200, code: 'ok' }),
      version: version ?? null,
    })),
    succeeded: results.length - failed,
    failed,
  }
}
