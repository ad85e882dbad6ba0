import { misplacedParts } from '../../tenants/index.ts'
import type { SiteUnderCare } from '../check.ts'
import type { Note } from '../finding.ts'

export async function checkPlaces({ app, known }: SiteUnderCare, note: Note): Promise<void> {
  if (known.tenantId === null) return
  for (const part of await misplacedParts(app.control, known.tenantId)) {
    const key = part === 'database' ? 'SERVICE_DATABASE_URL' : 'SERVICE_STORAGE_URL'
    const says = `Its ${part === 'database' ? 'rows' : 'bytes'} are elsewhere than its values say.`
    const todo = `tenants move --id ${known.tenantId}, or change its values`
    await note({ isFault: false, tenant: known.tenantId, key, says, todo })
  }
}
