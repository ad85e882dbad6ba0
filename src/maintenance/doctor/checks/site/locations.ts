import { partsToMove } from '../../../../tenants/index.ts'
import type { InspectedSite } from '../../check.ts'
import type { Note } from '../../finding.ts'

export async function checkLocations({ app, record }: InspectedSite, note: Note): Promise<void> {
  if (record.tenantId === null) return
  for (const part of await partsToMove(app.control, record.tenantId)) {
    const key = part === 'database' ? 'SERVICE_DATABASE_URL' : 'SERVICE_STORAGE_URL'
    const says = `Its ${part === 'database' ? 'rows' : 'bytes'} are not at the location that its settings name.`
    const todo = `tenants move --id ${record.tenantId}, or change its settings`
    await note({ isFault: false, tenant: record.tenantId, key, says, todo })
  }
}
