import { type Caller, scopeMissing } from '../../../accounts/index.ts'
import { inTransaction } from '../../../db/index.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { type ChangingSite, countQuotaRefusal, type Site } from '../../../site/index.ts'
import { bulkFailed, fileInTrash, noSuchFile, otherVersion } from '../../errors.ts'
import { lockSite } from '../../lock-site.ts'
import { addFiles, checkRoomOfUser } from '../../resumable/storage-limit.ts'
import { checkMayChange, type Visibility, visibilityById } from '../../visibility.ts'
import { findVersions } from '../file-versions-table.ts'
import type { ShownFile } from '../list/shown-columns-table.ts'
import { findShownFiles } from '../list/shown-files-table.ts'
import { checkMayRestore, deleteOrTrash, takeOutOfTrash } from '../removal/trash.ts'
import { applyEdit, checkEdit, checkEditOf, type FileEdit } from './apply-edit.ts'
import { decide, isDecision } from './decide-files.ts'

export const bulkActions = ['edit', 'move', 'trash', 'restore', 'remove', 'approve', 'reject'] as const
/**
 * Not a part of the API: `hold` takes an approval back, `keep` decides that a reported file stays, and `reopen` takes that back.
 * They are for the dashboard and its Undo.
 */
export type BulkAction = (typeof bulkActions)[number] | 'hold' | 'keep' | 'reopen'

export interface BulkChange {
  action: BulkAction
  /** Each id once. */
  targets: readonly { id: string; version: number | undefined }[]
  /** For the actions `edit` and `move`. */
  edit: FileEdit
  /** All files or none. */
  isAtomic: boolean
  /** Why files are rejected or trashed. */
  reason?: string | undefined
}

/** What became of one file. */
export interface BulkResult {
  id: string
  /** Afterwards; undefined if it was not changed, or removed for good. */
  version: number | undefined
  /** Undefined if it was changed. */
  refusal: Refusal | undefined
}

/** Changes many files in one transaction. A file that cannot be changed does not stop the others, unless all or none shall be. */
export function changeFiles(site: ChangingSite, caller: Caller, bulk: BulkChange): Promise<BulkResult[]> {
  return inTransaction(site.db, async (db) => {
    const changing = { ...site, db }
    await lockSite(db)
    const visibility = visibilityById(caller)
    const act = await actionOf(changing, visibility, bulk)
    const ids = bulk.targets.map(({ id }) => id)
    const shown = await findShownFiles(db, visibility, { ids }, site.clock.now())
    const byId = new Map(shown.map((each) => [each.file.id, each]))

    const changed: ShownFile[] = []
    const results: Omit<BulkResult, 'version'>[] = []
    for (const { id, version } of bulk.targets) {
      const refusal = await refusalOf(changing, async () => {
        const target = byId.get(id)
        if (!target) throw noSuchFile(id)
        checkMayChange(visibility, target.file)
        if (version !== undefined && version !== target.file.version) throw otherVersion(target.file.version)
        await act.check(target)
        changed.push(target)
      })
      results.push({ id, refusal })
    }
    const failed = results.filter(({ refusal }) => refusal)
    if (bulk.isAtomic && failed.length > 0) throw bulkFailed(failed)
    if (changed.length > 0) await act.apply(changed)
    const changedIds = changed.map(({ file }) => file.id)
    const versions = changed.length > 0 ? await findVersions(db, changedIds) : new Map<string, number>()
    return results.map((result) => ({ ...result, version: versions.get(result.id) }))
  })
}

async function refusalOf(site: Site, work: () => Promise<void>): Promise<Refusal | undefined> {
  try {
    await work()
    return undefined
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    countQuotaRefusal(site.counters, error)
    return error
  }
}

interface Action {
  /** Refuses the action for one file. */
  check: (shown: ShownFile) => void | Promise<void>
  /** Changes the files that were not refused. */
  apply: (files: readonly ShownFile[]) => Promise<unknown>
}

/** Refuses an action that the caller may do to no file. */
async function actionOf(
  site: ChangingSite,
  visibility: Visibility,
  { action, edit, reason }: BulkChange,
): Promise<Action> {
  const filesOf = (shown: readonly ShownFile[]) => shown.map(({ file }) => file)
  if (action === 'edit' || action === 'move') {
    const checked = await checkEdit(site, visibility, edit)
    return {
      check: (shown) => {
        checkIsLive(shown)
        checkEditOf(site, visibility, { checked, shown })
      },
      apply: (files) => applyEdit(site, files, edit),
    }
  }
  if (action === 'restore') return restoring(site, visibility)
  if (isDecision(action)) {
    if (!visibility.seesAll) throw scopeMissing('admin')
    return { check: checkIsLive, apply: (files) => decide(site, filesOf(files), action) }
  }
  if (action === 'reject' && !visibility.seesAll) throw scopeMissing('admin')
  // The job `remove-bytes` removes the bytes: here the transaction may still be undone.
  return {
    check: () => undefined,
    apply: (files) =>
      deleteOrTrash(site, filesOf(files), {
        isPermanent: action === 'remove',
        isRejected: action === 'reject',
        visibility,
        reason,
      }),
  }
}

function checkIsLive({ file }: ShownFile): void {
  if (file.deletedAt) throw fileInTrash()
}

/** Files are restored in the order sent, until a limit is reached: that of the site, or that of their owner. */
function restoring(site: ChangingSite, visibility: Visibility): Action {
  const counted = new Map<string | undefined, number>()
  return {
    async check({ file }) {
      checkMayRestore(visibility, file)
      if (!file.deletedAt) return
      const { userId } = file
      const files = (counted.get(userId) ?? 0) + 1
      await checkRoomOfUser(site, { userId, files, bytes: 0 })
      await addFiles(site, 1)
      counted.set(userId, files)
    },
    apply: (files) =>
      takeOutOfTrash(
        site,
        files.map(({ file }) => file),
      ),
  }
}
