import type { ControlDb } from '../../db/index.ts'
import type { ControlAuditRow } from './control-audit-table.ts'

export type ControlAuditEntry = ControlAuditRow

export interface ControlAuditFilter {
  verbs?: readonly string[] | undefined
  /** The kind of an author, or the id or the name of an operator or key. Of a name the case of ASCII letters does not count. */
  actor?: string | undefined
  target?: string | undefined
  /** Both exclude their moment. */
  after?: Date | undefined
  before?: Date | undefined
}

export interface ControlAuditPage {
  /** The row before which the page begins; by default it begins with the newest. */
  before?: number | undefined
  limit: number
}

const kinds: readonly string[] = ['operator', 'key', 'tool', 'job'] satisfies ControlAuditRow['actor'][]

/** Newest first. */
export async function controlAuditBefore(
  db: ControlDb,
  filter: ControlAuditFilter,
  page: ControlAuditPage,
): Promise<ControlAuditEntry[]> {
  const { actor } = filter
  if (actor === undefined) return filtered(db, filter, page).execute()
  // One query for each index: an "or" would read and sort every row of an actor for each page.
  const [byKind, byId, byName] = await Promise.all([
    kinds.includes(actor)
      ? filtered(db, filter, page)
          .where('actor', '=', actor as ControlAuditRow['actor'])
          .execute()
      : [],
    filtered(db, filter, page).where('actorId', '=', actor).execute(),
    filtered(db, filter, page)
      .where((eb) => eb.fn<string>('lower', ['actorName']), '=', lowerCased(actor))
      .execute(),
  ])
  const found = new Map([...byKind, ...byId, ...byName].map((row) => [row.sequence, row]))
  return [...found.values()].sort((one, other) => other.sequence - one.sequence).slice(0, page.limit)
}

/** As both databases do it: neither changes letters beyond ASCII. */
const lowerCased = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

function filtered(
  db: ControlDb,
  { verbs, target, after, before }: ControlAuditFilter,
  page: ControlAuditPage,
) {
  let query = db.selectFrom('controlAudit').selectAll().orderBy('sequence', 'desc').limit(page.limit)
  if (verbs !== undefined) query = query.where('verb', 'in', verbs)
  if (target !== undefined) query = query.where('target', '=', target)
  if (after) query = query.where('at', '>', after.toISOString())
  if (before) query = query.where('at', '<', before.toISOString())
  if (page.before !== undefined) query = query.where('sequence', '<', page.before)
  return query
}
