import type { SiteTables } from '../../src/db/index.ts'
import type { TestApp } from './harness.ts'
import { onSiteOf, picture, type TestTenant, uploaded } from './uploads.ts'

const widths = [100, 150, 225, 300, 350, 420, 90]

/** One uploaded file, and rows like its own without bytes, two of each second, in other shapes. */
export async function manyFiles(app: TestApp, tenant: TestTenant, count: number): Promise<void> {
  const file = await picture({ width: 300, height: 200, format: 'jpeg' })
  const { id_encoded: id } = await uploaded(app, tenant, { file, fields: { title: 'File 0' } })
  await onSiteOf(app, tenant, async (site) => {
    // On PostgreSQL there is the column of the site too, which the store adds itself.
    const { site: _, ...row } = (await site.db
      .selectFrom('file')
      .selectAll()
      .where('id', '=', id)
      .executeTakeFirstOrThrow()) as SiteTables['file'] & { site?: number }
    for (let from = 1; from < count; from += 100) {
      const rows = Array.from({ length: Math.min(100, count - from) }, (_row, at) => {
        const index = from + at
        return {
          ...row,
          id: `f${index}`,
          name: `f${index}`,
          nameKey: `f${index}`,
          title: `File ${index}`,
          width: widths[index % widths.length] ?? 200,
          height: 200,
          createdAt: new Date(Date.parse(row.createdAt) - 1_000 * ((index + 1) >> 1)).toISOString(),
        }
      })
      await site.db.insertInto('file').values(rows).execute()
    }
  })
}
