import { siteMigrations } from '../migrations/site.ts'
import { openSqlite } from '../sqlite/connection.ts'
import { kyselyOfFile, SqliteFile } from '../sqlite/file.ts'
import { migrateSqlite } from '../sqlite/migrator.ts'
import { writeFenced } from '../sqlite/write-fence.ts'
import type { FillSite } from '../store.ts'
import type { SiteTables } from '../tables.ts'

/** An in-memory SQLite database with a site's tables, from which the files of new sites are written. */
export interface SiteTemplate {
  /** A file without rows. */
  blank(): Promise<Uint8Array>
  /** A file with the rows of a new site. Calls run one at a time, so `fill` must await nothing but its inserts. */
  filled(fill: FillSite): Promise<Uint8Array>
}

let opened: SiteTemplate | undefined

/** Created on first use: most processes never install a site. All stores of a process share it. */
function template(): SiteTemplate {
  opened ??= openTemplate()
  return opened
}

export const siteTemplate: SiteTemplate = {
  blank: () => template().blank(),
  filled: (fill) => template().filled(fill),
}

function openTemplate(): SiteTemplate {
  const connection = openSqlite(':memory:', { mayCreate: true })
  migrateSqlite(connection, siteMigrations)
  const file = new SqliteFile(':memory:', {
    perform: async (work) => (work.verb === 'run' ? writeFenced(connection, work) : undefined),
  })
  const db = kyselyOfFile<SiteTables>(file)

  async function filled(fill: FillSite): Promise<Uint8Array> {
    const transaction = await db.startTransaction().execute()
    try {
      await fill(transaction)
      // The serialised bytes contain uncommitted rows too; the rollback then empties the template again.
      return inWalMode(connection.serialize())
    } finally {
      await transaction.rollback().execute()
    }
  }
  return { filled, blank: () => filled(async () => undefined) }
}

/** An in-memory database cannot be in WAL mode: bytes 18 and 19 of the header switch the written file to it. */
function inWalMode(file: Uint8Array): Uint8Array {
  file.fill(2, 18, 20)
  return file
}
