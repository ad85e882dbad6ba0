import type { UserCaller } from '../../../accounts/index.ts'
import type { ChangingSite } from '../../../site/index.ts'
import { type BulkResult, changeFiles } from '../edit/bulk-change.ts'
import type { FilePosition } from '../list/file-selection.ts'
import { listShownFiles } from '../list/list-files.ts'
import type { ShownFile } from '../list/shown-columns-table.ts'
import { mayRestore } from './trash.ts'

export interface TrashChange {
  results: readonly BulkResult[]
  /** More files are in the trash than one call changes. */
  hasMore: boolean
}

const batchSize = 200
/** About a second of work: a trash of any size must not hold a request for minutes. */
const mostAtOnce = 2_000

/**
 * Restores or removes the files of the caller's own trash, the youngest first. Batch by batch, each a transaction of its own, so
 * that uploads wait for 200 files and not for all. It ends early if files are refused. What the staff removed is not restored.
 */
export async function changeOwnTrash(
  site: ChangingSite,
  caller: UserCaller,
  action: 'restore' | 'remove',
): Promise<TrashChange> {
  const results: BulkResult[] = []
  const page = {
    selection: { userId: caller.userId, isTrashed: true },
    sort: { by: 'created', isDescending: true },
    limit: batchSize,
    hasExif: false,
  } as const
  const isChanged = ({ file }: ShownFile) => action === 'remove' || mayRestore(caller, file)
  for (let after: FilePosition | undefined; ; ) {
    const files = await listShownFiles(site, caller, { ...page, after })
    if (files.length === 0) return { results, hasMore: false }
    if (results.length >= mostAtOnce) return { results, hasMore: true }
    after = files.at(-1)?.position
    const targets = files.filter(isChanged).map(({ file }) => ({ id: file.id, version: undefined }))
    if (targets.length === 0) continue
    const changed = await changeFiles(site, caller, { action, targets, edit: {}, isAtomic: false })
    results.push(...changed)
    if (changed.some(({ refusal }) => refusal)) return { results, hasMore: files.length === batchSize }
  }
}
