import { createHmac, timingSafeEqual } from 'node:crypto'
import { readdir, readFile, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Clock } from '../../lib/clock.ts'
import { writeFileDurably } from '../../lib/files/durable.ts'
import { deriveSiteKey } from '../site-key.ts'
import type { AuditHead } from './audit-table.ts'
import type { AuditVerb } from './audit-verbs.ts'
import type { Author } from './author.ts'
import type { Fields } from './changed-fields.ts'

/** In place of a site's number: the audit log of the installation. */
export const installationLog = 0

/**
 * What a process has of one site's audit log beside its rows: the key that signs its head, which is not in the database, and
 * a copy of the last signed head. An attacker who can write to the database can change rows, but cannot sign them.
 */
export interface AuditLog {
  /** Where the copy is. */
  readonly path: string
  sign(head: Omit<AuditHead, 'mac'>): string
  isSigned(head: AuditHead): boolean
  /** The copy; undefined if there is none, `forged` if it has no valid signature. */
  readCopy(): Promise<AuditHead | 'forged' | undefined>
  writeCopy(head: AuditHead): Promise<void>
  removeCopy(): Promise<void>
  /** Counts an event, to be written as one row with others of its kind. */
  count(event: CountedEvent): void
  /** Whether events of this verb are counted and not written yet. */
  isCounting(verb: AuditVerb): boolean
  /** Has the copy written soon after the log reaches this row. A transaction calls it before it commits. */
  copySoon(sequence: number): void
}

/** Something that happens more often than the log has room for. */
export interface CountedEvent {
  verb: AuditVerb
  target: string
  author: Author
  /** What the row says besides the number. */
  after?: Fields
}

export interface Count {
  event: CountedEvent
  count: number
}

/** Rows that one site gets of a round of counts. Events beyond are counted together by their verb. */
const mostCounts = 10

interface SiteCounts {
  since: Date
  byKind: Map<string, Count>
}

/** A head that is to be copied. */
interface DueCopy {
  /** The row that the log reaches if the transaction commits. */
  sequence: number
  since: number
  hasFailed: boolean
}

/** Longer than a transaction takes: after this the row was not committed. */
const longestCommitMs = 60_000

/** A draft older than this belongs to a killed process. */
const longestWriteMs = 600_000

/** The audit logs of all sites and of the installation. Copies of their heads are in a folder, one small file for each site. */
export class AuditLogs {
  readonly #folder: string
  readonly #secret: string
  readonly #due = new Map<number, DueCopy>()
  readonly #counts = new Map<number, SiteCounts>()
  readonly #clock: Clock

  constructor({ folder, secret, clock }: { folder: string; secret: string; clock: Clock }) {
    this.#folder = folder
    this.#secret = secret
    this.#clock = clock
  }

  of(site: number): AuditLog {
    const path = join(this.#folder, `${site}.json`)
    const sign = (head: Omit<AuditHead, 'mac'>) => {
      const key = deriveSiteKey(this.#secret, { number: site }, 'audit log')
      return createHmac('sha256', key).update(signedText(head)).digest('hex')
    }
    const isSigned = (head: AuditHead) => isEqual(head.mac, sign(head))
    return {
      path,
      sign,
      isSigned,
      async readCopy() {
        const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'ENOENT') return undefined
          throw error
        })
        if (text === undefined) return undefined
        const head = headOf(text)
        return head && isSigned(head) ? head : 'forged'
      },
      writeCopy: (head) => writeFileDurably(path, `${JSON.stringify(head)}\n`),
      removeCopy: () => rm(path, { force: true }),
      count: (event) => this.#add(site, { event, count: 1 }),
      isCounting: (verb) =>
        this.#counts
          .get(site)
          ?.byKind.values()
          .some(({ event }) => event.verb === verb) ?? false,
      copySoon: (sequence) => {
        const due = this.#due.get(site)
        if (due) due.sequence = Math.max(due.sequence, sequence)
        else this.#due.set(site, { sequence, since: performance.now(), hasFailed: false })
      },
    }
  }

  /** Removes what killed processes have left between the writing and the renaming of a copy. */
  async removeDrafts(): Promise<void> {
    const isDraft = (name: string) => /\.json\.[0-9a-f]{12}$/.test(name)
    const names = (await readdir(this.#folder).catch(() => [])).filter(isDraft)
    for (const path of names.map((name) => join(this.#folder, name))) {
      const found = await stat(path).catch(() => undefined)
      if (found && Date.now() - found.mtimeMs > longestWriteMs) await rm(path, { force: true })
    }
  }

  /** Sites with a head to be copied. */
  dueSites(): number[] {
    return [...this.#due.keys()]
  }

  /** The copy has this row now. A row beyond it may still be committed. */
  copied(site: number, sequence: number): void {
    const due = this.#due.get(site)
    if (!due) return
    const isOver = performance.now() - due.since > longestCommitMs
    if (sequence >= due.sequence || isOver) this.#due.delete(site)
  }

  /** Whether it is the first failure since the last copy. */
  failed(site: number): boolean {
    const due = this.#due.get(site)
    const isFirst = due?.hasFailed === false
    if (due) due.hasFailed = true
    return isFirst
  }

  /** Sites whose counts were begun at least this long ago. A clock that was set back counts too. */
  countedSites(olderThanMs: number): number[] {
    const now = this.#clock.now().getTime()
    const isDue = ({ since }: SiteCounts) => Math.abs(now - since.getTime()) >= olderThanMs
    return [...this.#counts].flatMap(([site, counts]) => (isDue(counts) ? [site] : []))
  }

  /** Hands over a site's counts to be written; those that cannot be are given back. */
  takeCounts(site: number): Count[] {
    const counts = [...(this.#counts.get(site)?.byKind.values() ?? [])]
    this.#counts.delete(site)
    return counts
  }

  giveBack(site: number, counts: readonly Count[]): void {
    for (const count of counts) this.#add(site, count)
  }

  #add(site: number, { event, count }: Count): void {
    const counts = this.#counts.get(site) ?? { since: this.#clock.now(), byKind: new Map<string, Count>() }
    this.#counts.set(site, counts)
    const { byKind } = counts
    const isKnown = byKind.has(kindOf(event)) || byKind.size < mostCounts
    const counted: CountedEvent = isKnown ? event : { verb: event.verb, target: '', author: { kind: 'job' } }
    const kind = kindOf(counted)
    byKind.set(kind, { event: counted, count: (byKind.get(kind)?.count ?? 0) + count })
  }

  /** For a site that is dropped or new. A folder that cannot be written must not stop that. */
  async forget(site: number): Promise<void> {
    this.#due.delete(site)
    this.#counts.delete(site)
    await this.of(site)
      .removeCopy()
      .catch(() => undefined)
  }
}

const kindOf = ({ verb, target, author, after }: CountedEvent) =>
  JSON.stringify([verb, target, author.userId, author.keyId, after])

const signedText = ({ sequence, hash, prunedSequence, prunedHash }: Omit<AuditHead, 'mac'>) =>
  JSON.stringify([sequence, hash, prunedSequence, prunedHash])

function isEqual(given: string, wanted: string): boolean {
  const [one, two] = [Buffer.from(given), Buffer.from(wanted)]
  return one.length === two.length && timingSafeEqual(one, two)
}

function headOf(text: string): AuditHead | undefined {
  try {
    const { sequence, hash, prunedSequence, prunedHash, mac } = JSON.parse(text)
    return { sequence, hash, prunedSequence, prunedHash, mac: String(mac) }
  } catch {
    return undefined
  }
}
