import { readFile } from 'node:fs/promises'
import { requestSecretPath } from '../../control/index.ts'
import type { SiteRow } from '../../db/index.ts'
import { openSealedText, sealText } from '../../lib/sealed-text.ts'
import { deriveSiteKey, type SiteKeyPurpose } from '../../site/index.ts'
import { sealedColumns } from '../../tenants/index.ts'
import { idOfSecret, type Manifest } from '../backup-format/manifest.ts'

/** The request secret of the installation that was backed up; undefined if neither the backup nor this installation has it. */
export async function secretOfBackup(
  folder: string,
  manifest: Manifest,
  ownSecret: string,
): Promise<string | undefined> {
  const copied = await readFile(requestSecretPath(folder), 'utf8').catch(() => undefined)
  if (copied !== undefined) return copied.trim()
  return manifest.secretId === idOfSecret(ownSecret) ? ownSecret : undefined
}

/** The installation that has or had a site, and its number there. */
interface Home {
  secret: string
  number: number
}

const keyAt = ({ secret, number }: Home, purpose: SiteKeyPurpose) =>
  deriveSiteKey(secret, { number }, purpose)

/** Signs the addresses that a site gave out; undefined if its own key does. */
export function signingKeyFor(before: Home, now: Home): string | undefined {
  const [old, own] = [keyAt(before, 'addresses'), keyAt(now, 'addresses')]
  return old.equals(own) ? undefined : old.toString('base64')
}

/** Encrypts the secret of a row for the site where it is now. One that no key opens stays as it is, as it did before. */
export function resealRow(
  table: string,
  row: SiteRow,
  { before, now }: { before: Home; now: Home },
): SiteRow {
  const sealed = sealedColumns.find((each) => each.table === table)
  const stored = sealed && row[sealed.column]
  if (!sealed || typeof stored !== 'string' || stored === '') return row
  const owner = sealed.ownerOf(String(row[sealed.key]))
  const text = openSealedText(keyAt(before, sealed.purpose), stored, owner)
  if (text === undefined) return row
  return { ...row, [sealed.column]: sealText(keyAt(now, sealed.purpose), text, owner) }
}
