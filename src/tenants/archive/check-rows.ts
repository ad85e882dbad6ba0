import { randomBytes } from 'node:crypto'
import { openSiteStore, type SiteDb } from '../../db/index.ts'
import type { Clock } from '../../lib/clock.ts'
import { randomHex } from '../../lib/ids.ts'
import { englishOf } from '../../lib/messages.ts'
import { AuditLogs, deriveSiteKey, findBrokenAudit, signAnew } from '../../site/index.ts'
import { nameOfKey, nameOfTable } from './archive-format.ts'
import { brokenArchive, otherBytes } from './errors.ts'
import { fillRows } from './fill-rows.ts'
import { firstWithout, type OpenedArchive } from './open-archive.ts'
import { type ColumnsOf, readColumns } from './row-rules.ts'
import { keysOfRow } from './spool-rows.ts'
import { openWorkFolder } from './work-folder.ts'

interface Checking {
  /** Undefined without an installation. */
  dataDir?: string
  passphrase: string | undefined
  clock: Clock
}

/**
 * Fills the rows into a database that is thrown away: rows that do not fit are refused before anything is written to the
 * installation. Returns the columns of the tables.
 */
export async function checkRows(
  archive: OpenedArchive,
  { dataDir, passphrase, clock }: Checking,
): Promise<ColumnsOf> {
  await using folder = await openWorkFolder(dataDir)
  await using store = await openSiteStore({
    dataDir: folder.path,
    installation: '',
    onFault: () => undefined,
  })
  let columnsOf: ColumnsOf = new Map()
  const draft = await store.draftCopy(1, async (db) => {
    columnsOf = await readColumns(db)
    await fillAndMark(db, { archive, columnsOf, passphrase })
    const auditLog = new AuditLogs({ folder: folder.path, secret: randomHex(16), clock }).of(1)
    await signAnew({ db, auditLog })
    const broken = await findBrokenAudit({ db, auditLog })
    if (broken) throw brokenArchive(nameOfTable('audit'), englishOf(broken.fault))
  })
  await draft.discard()
  return columnsOf
}

interface Marking {
  archive: OpenedArchive
  columnsOf: ColumnsOf
  passphrase: string | undefined
}

/** Every row has its bytes in the archive, and all bytes have a row. The MD5 that rows know are compared when the bytes are read. */
async function fillAndMark(db: SiteDb, { archive, columnsOf, passphrase }: Marking): Promise<void> {
  const { source, index, tables } = archive
  const secret = randomBytes(16).toString('hex')
  let named = 0
  await fillRows(db, {
    archive,
    columnsOf,
    passphrase,
    isProven: false,
    keyFor: (purpose) => deriveSiteKey(secret, { number: 0 }, purpose),
    onRow(table, row, refuse) {
      for (const { key, sizeBytes, md5, sha256 } of keysOfRow(table, row)) {
        const name = nameOfKey(key)
        const entry = index.find(name)
        if (!entry) throw refuse(`a row names ${name}, which is missing`)
        if (!entry.mark('named')) throw refuse(`a row names ${name}, which another row names too`)
        const isEqual =
          entry.sizeBytes === sizeBytes &&
          (sha256 === undefined || entry.sha256.toString('hex') === sha256) &&
          (md5 === undefined || /^[0-9a-f]{32}$/.test(md5))
        if (!isEqual) throw otherBytes(name)
        if (md5 !== undefined) entry.setMd5(Buffer.from(md5, 'hex'))
        named += 1
      }
    },
  })
  if (named < index.count - tables.size)
    throw brokenArchive(await firstWithout(source, index, 'named'), 'no row names it')
}
