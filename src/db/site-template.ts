import { siteMigrations } from './migrations/site.ts'
import { migrateSqlite } from './migrations/sqlite-migrator.ts'
import { openSqlite } from './sqlite-connection.ts'
import { kyselyOfFile, SqliteFile } from './sqlite-file.ts'
import { writeThroughGate } from './sqlite-gate.ts'
import type { FillSite } from './store.ts'
import type { SiteTables } from './tables.ts'

/** A site's empty tables in memory, from which the files of new sites are written. */
export interface SiteTemplate {
  /** A file without rows. */
  blank(): Promise<Uint8Array>
  /** A file with the rows of a new site: one at a time, so whoever fills it must wait for nothing. */
  filled(fill: FillSite): Promise<Uint8Array>
}

/** Made when the first one is needed: most processes never make a site. */
export function siteTemplate(): SiteTemplate {
  let template: SiteTemplate | undefined
  const made = () => {
    template ??= openTemplate()
    return template
  }
  return { blank: () => made().blank(), filled: (fill) => made().filled(fill) }
}

function openTemplate(): SiteTemplate {
  const connection = openSqlite(':memory:', { mayCreate: true })
  migrateSqlite(connection, siteMigrations)
  const file = new SqliteFile(':memory:', {
    perform: async (work) => (work.verb === 'run' ? writeThroughGate(connection, work) : undefined),
  })
  const db = kyselyOfFile<SiteTables>(file)

  async function filled(fill: FillSite): Promise<Uint8Array> {
    const transaction = await db.startTransaction().execute()
    try {
      await fill(transaction)
      // What is not committed is written as well, and gone afterwards.
      return asLogged(connection.serialize())
    } finally {
      await transaction.rollback().execute()
    }
  }
  return { filled, blank: () => filled(async () => undefined) }
}

/** What was in memory has no write-ahead log; who opens the file is to keep one, as two bytes of its header tell. */
function asLogged(file: Uint8Array): Uint8Array {
  file.fill(2, 18, 20)
  return file
}
