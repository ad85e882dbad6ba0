import {
  acceptControlAudit,
  type ControlAuditEntry,
  type ControlAuditFilter,
  controlVerbs,
  isControlVerb,
  listControlAudit,
} from '../../control/index.ts'
import { auditFields } from '../../http/wire/audit.ts'
import type { AuditFormat } from '../../http/wire/audit-lines.ts'
import { controlAuditText, writeControlAudit } from '../../http/wire/control-audit.ts'
import { closest, suggestion } from '../../lib/did-you-mean.ts'
import { writeTime } from '../../lib/times.ts'
import type { Session } from '../session.ts'
import { type Column, tableOf } from '../terminal/table.ts'
import { UsageFault } from '../terminal/usage-fault.ts'

interface AuditOptions {
  verb?: string
  actor?: string
  target?: string
  after?: Date
  before?: Date
  limit: number
  export?: AuditFormat
}

/** Shows the newest rows of the installation's audit log, or exports all of them. */
export async function showAudit(session: Session, { limit, ...options }: AuditOptions): Promise<void> {
  if (options.export && session.isJson)
    throw new UsageFault(['Choose --export or --json.'], 'terrace audit --help')
  const filter = filterOf(options)
  await using app = await session.openApp()
  if (options.export) {
    const text = controlAuditText(app.control, filter, options.export)
    for await (const chunk of text) await session.out.write(Buffer.from(chunk))
    return
  }
  const found = await listControlAudit(app.control, filter, { limit: limit + 1 })
  const rows = found.slice(0, limit)
  session.answerList(rows.map(writeControlAudit), () => tableOf(session.out, columns, rows), {
    ifEmpty: 'No changes match.',
  })
  if (found.length > limit)
    session.note(`These are the newest ${limit}. For more, use --limit, or --export ndjson for all of them.`)
}

function filterOf({ verb, actor, target, after, before }: Omit<AuditOptions, 'limit'>): ControlAuditFilter {
  if (verb !== undefined && !isControlVerb(verb))
    throw new UsageFault(
      [`--verb must be one of the verbs of the log, not "${verb}"${suggestion(closest(verb, controlVerbs))}`],
      'terrace audit --help',
    )
  return { verbs: verb === undefined ? undefined : [verb], actor, target, after, before }
}

const columns: readonly Column<ControlAuditEntry>[] = [
  { title: 'WHEN', value: ({ at }) => writeTime(new Date(at)), style: () => 'dim' },
  { title: 'VERB', value: ({ verb }) => verb, style: () => 'cyan' },
  { title: 'TARGET', value: ({ target }) => target || '-' },
  { title: 'WHO', value: ({ actor, actorId, actorName }) => whoOf(actor, actorName ?? actorId) },
  { title: 'FROM', value: ({ address }) => address ?? '-' },
  { title: 'CHANGES', value: changesOf },
]

const whoOf = (kind: string, name: string | null) => (name === null ? kind : `${name} (${kind})`)

/** Before and after of each field; --json has the values of other kinds as they are. */
function changesOf(row: ControlAuditEntry): string {
  const [before, after] = [auditFields(row.before), auditFields(row.after)]
  const texts = Object.keys({ ...before, ...after }).map((name) => {
    const [was, is] = [before, after].map((fields) => (name in fields ? textOf(fields[name]) : undefined))
    return `${name}: ${was !== undefined && is !== undefined ? `${was} → ${is}` : (is ?? was)}`
  })
  return texts.join('; ') || '-'
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : value === null ? 'none' : JSON.stringify(value)

export async function signAudit(session: Session): Promise<void> {
  await using app = await session.openApp()
  await acceptControlAudit(app.control)
  session.answer({ signed: true }, () => 'Accepted and signed the current audit log of the installation.')
}
