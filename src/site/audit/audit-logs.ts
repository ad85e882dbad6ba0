import { createHmac, timingSafeEqual } from 'node:crypto'
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { writeFileDurably } from '../../lib/files/durable.ts'
import { deriveSiteKey } from '../site-key.ts'
import type { AuditHead } from './audit-table.ts'

/**
 * What a process has of one site's audit log beside its rows: the key that signs its head, which is not in the database, and
 * a copy of the last signed head. Somebody who can write to the database can change rows, but cannot sign them.
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
  /** Has the copy written soon after the log reaches this row. A transaction calls it before it commits. */
  copySoon(sequence: number): void
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

/** The audit logs of all sites. Copies of their heads are in a folder, one small file for each site. */
export class AuditLogs {
  readonly #folder: string
  readonly #secret: string
  readonly #due = new Map<number, DueCopy>()

  constructor({ folder, secret }: { folder: string; secret: string }) {
    this.#folder = folder
    this.#secret = secret
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
      copySoon: (sequence) => {
        const due = this.#due.get(site)
        if (due) due.sequence = Math.max(due.sequence, sequence)
        else this.#due.set(site, { sequence, since: performance.now(), hasFailed: false })
      },
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

  /** For a site that is dropped or new. A folder that cannot be written must not stop that. */
  async forget(site: number): Promise<void> {
    this.#due.delete(site)
    await this.of(site)
      .removeCopy()
      .catch(() => undefined)
  }
}

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
