import type { Control } from '../../../control/index.ts'
import { randomId } from '../../../lib/ids.ts'
import type { StoredBytes } from '../../../storage/index.ts'
import { readTenantWithStats } from '../../tenants.ts'
import { exportNotFound, exportNotReady, notExportable } from '../errors.ts'
import { checkPassphrase } from '../secrets.ts'
import {
  deleteExport,
  type ExportRow,
  type ExportTry,
  endedExports,
  findExport,
  insertExport,
} from './exports-table.ts'

/** An export that a program asks for, and whose archive it downloads. */
export interface TenantExport {
  id: string
  tenantId: string
  state: 'waiting' | 'running' | 'done' | 'failed'
  bytes: number | undefined
  /** Why it has failed. */
  error: string | undefined
  createdAt: Date
  finishedAt: Date | undefined
  /** When the archive is deleted, and the export forgotten. */
  expiresAt: Date | undefined
}

/**
 * Of the installation's own storage, from which every server sends it. Each try stores its archive under its own key: a
 * process that was taken for dead overwrites and removes only what it has stored itself.
 */
export const keyOfTry = ({ id, tries }: ExportTry) => `exports/${id}-${tries}.tar`
export const passphraseOwner = (id: string) => `passphrase of export ${id}`

/** A runner takes it up. */
export async function startExport(
  control: Control,
  tenantId: string,
  passphrase: string | undefined,
): Promise<TenantExport> {
  if (passphrase !== undefined) checkPassphrase(passphrase)
  const tenant = await readTenantWithStats(control, tenantId)
  if (!tenant.isInstalled) throw notExportable(tenantId)
  const id = randomId()
  const row: ExportRow = {
    id,
    tenantId,
    site: tenant.site,
    state: 'waiting',
    sealedPassphrase: passphrase === undefined ? null : control.keyRing.seal(passphrase, passphraseOwner(id)),
    bytes: null,
    error: null,
    tries: 0,
    leasedBy: null,
    leasedUntil: null,
    createdAt: control.clock.now().toISOString(),
    finishedAt: null,
    expiresAt: null,
  }
  await control.store.changeControl((db) => insertExport(db, row))
  return exportOfRow(row)
}

export const readExport = async (control: Control, tenantId: string, id: string): Promise<TenantExport> =>
  exportOfRow(await foundExport(control, tenantId, id))

/** The caller must read the content to its end or destroy it. */
export async function openExportedArchive(
  control: Control,
  tenantId: string,
  id: string,
): Promise<StoredBytes> {
  const row = await foundExport(control, tenantId, id)
  if (row.state !== 'done') throw exportNotReady(row.state)
  const stored = await control.backends.own.storage.read(keyOfTry(row))
  if (!stored) throw exportNotFound()
  return stored
}

/** A process that works on it finds that its row is gone. */
export async function removeExport(control: Control, tenantId: string, id: string): Promise<void> {
  await dropExport(control, await foundExport(control, tenantId, id))
}

/** Removes the archives whose day is over. Returns how many. */
export async function dropEndedExports(control: Control): Promise<number> {
  const ended = await endedExports(control.store.control, control.clock.now())
  for (const row of ended) await dropExport(control, row)
  return ended.length
}

/** With what killed tries have stored. The row last: a repetition finds it. */
async function dropExport(control: Control, { id, tries }: ExportTry): Promise<void> {
  const keys = Array.from({ length: tries }, (_, index) => keyOfTry({ id, tries: index + 1 }))
  await control.backends.own.storage.remove(keys)
  await control.store.changeControl((db) => deleteExport(db, id))
}

/** A tenant that was deleted and made anew has another site: its exports are not those of the one before. */
async function foundExport(control: Control, tenantId: string, id: string): Promise<ExportRow> {
  const tenant = await readTenantWithStats(control, tenantId)
  const row = await findExport(control.store.control, id)
  const isOver = row?.expiresAt != null && new Date(row.expiresAt) <= control.clock.now()
  if (row?.tenantId !== tenant.id || row.site !== tenant.site || isOver) throw exportNotFound()
  return row
}

const dateOf = (text: string | null) => (text === null ? undefined : new Date(text))

const exportOfRow = (row: ExportRow): TenantExport => ({
  id: row.id,
  tenantId: row.tenantId,
  state: row.state,
  bytes: row.bytes ?? undefined,
  error: row.error ?? undefined,
  createdAt: new Date(row.createdAt),
  finishedAt: dateOf(row.finishedAt),
  expiresAt: dateOf(row.expiresAt),
})
