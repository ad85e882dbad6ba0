import { type Static, Type } from 'typebox'
import { type BulkAction, type BulkChange, type BulkResult, bulkActions } from '../../../../media/index.ts'
import type { LooseBody } from '../../../endpoint.ts'
import { Closed, orNull } from '../common.ts'
import { textFaults } from '../text-faults.ts'
import { editFields, fileEditFaults, readFileEdit } from './file-edits.ts'

const mostIds = 500
const mostAtomic = 100
export const mostReason = 500

const Target = Type.Union([
  Type.String(),
  Type.Object({ id: Type.String(), version: Type.Integer({ description: 'The expected version' }) }, Closed),
])

export const BulkBody = Type.Object(
  {
    action: Type.String({ description: `One of ${bulkActions.map((action) => `\`${action}\``).join(', ')}` }),
    ids: Type.Array(Target, {
      description: `1 to ${mostIds} ids, each once, alone or with the expected version`,
    }),
    set: Type.Optional(
      Type.Object(editFields, { ...Closed, description: 'The fields of `edit` and `move`' }),
    ),
    reason: Type.Optional(
      Type.String({
        maxLength: mostReason,
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
      version: orNull(Type.Integer(), 'Its new version; null if it was not changed, or removed for good'),
    }),
    { description: 'In the order sent' },
  ),
  succeeded: Type.Integer({ description: 'How many files were changed' }),
  failed: Type.Integer({ description: 'How many were not' }),
})

/** Rules of the body beyond its types. */
export function bulkFaults({ action, ids, set, atomic, reason }: LooseBody): string[] {
  const isKnown = typeof action !== 'string' || (bulkActions as readonly string[]).includes(action)
  return [
    ...(isKnown ? [] : [`action: must be one of ${bulkActions.join(', ')}`]),
    ...(Array.isArray(ids) ? idFaults(ids, atomic === true ? mostAtomic : mostIds) : []),
    ...(isKnown && typeof action === 'string' ? setFaults(action as BulkAction, set) : []),
    ...(reason === undefined || action === 'reject' || action === 'trash'
      ? reasonFaults({ reason })
      : ['reason: must be given for reject and trash alone']),
  ]
}

export const reasonFaults = (body: LooseBody): string[] => textFaults(body, 'reason', { most: mostReason })

function idFaults(ids: readonly unknown[], most: number): string[] {
  if (ids.length === 0 || ids.length > most) return [`ids: must have 1 to ${most} entries, not ${ids.length}`]
  const seen = new Set<unknown>()
  return ids.flatMap((entry, index) => {
    const id = typeof entry === 'object' && entry !== null ? (entry as { id?: unknown }).id : entry
    if (typeof id !== 'string') return []
    if (!/^[A-Za-z0-9]{1,64}$/.test(id)) return [`ids.${index}: must be an id of letters and digits`]
    if (seen.has(id)) return [`ids.${index}: is given twice`]
    seen.add(id)
    return []
  })
}

function setFaults(action: BulkAction, set: unknown): string[] {
  const takesSet = action === 'edit' || action === 'move'
  if (set === undefined) return takesSet ? [`set: is required for ${action}`] : []
  if (!takesSet) return [`set: must be given for edit and move alone, not for ${action}`]
  if (typeof set !== 'object' || set === null) return []
  const fields = Object.keys(set)
  const isMove = fields.length === 1 && fields[0] === 'album_id'
  return [
    ...(action === 'move' && !isMove ? ['set: must have album_id alone for move'] : []),
    ...(fields.length === 0 ? ['set: must have at least one field'] : []),
    ...fileEditFaults(set as LooseBody).map((fault) => `set.${fault}`),
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

/** The outcome of one file as the API tells it. */
type Outcome = { status: number; code: string }

export function writeBulk(results: readonly BulkResult[], outcomeOf: (refusal: Error) => Outcome) {
  const failed = results.filter(({ refusal }) => refusal).length
  return {
    results: results.map(({ id, refusal, version }) => ({
      id,
      ...(refusal ? outcomeOf(refusal) : { status: 200, code: 'ok' }),
      version: version ?? null,
    })),
    ...{ succeeded: results.length - failed, failed },
  }
}
