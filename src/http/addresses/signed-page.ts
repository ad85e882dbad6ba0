import type { App } from '../../app.ts'
import { signedQuery, verifiedPairs } from '../../lib/signed-address.ts'
import type { StoredFile } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import { siteKey } from '../site-key.ts'

/** The short one: the other changes with the title. */
const pathOf = ({ type, id }: StoredFile) => `/${type}/${id}`

/**
 * An address of the page of a file that opens it whatever its privacy, for its uploader. It is good until the file's addresses are
 * rotated, or its privacy changes.
 */
export function signedPagePath(app: App, site: Site, file: StoredFile): string {
  const path = pathOf(file)
  const signed = { path, pairs: [], version: file.addressVersion }
  return `${path}?${signedQuery(siteKey(app, site, 'addresses'), signed)}`
}

/** Whether the query of a request for the page of the file is signed. */
export function isSignedPage(
  app: App,
  site: Site,
  { file, url }: { file: StoredFile; url: string },
): boolean {
  const at = url.indexOf('?')
  if (at === -1) return false
  const signed = { path: pathOf(file), query: url.slice(at + 1), version: file.addressVersion }
  return verifiedPairs(siteKey(app, site, 'addresses'), signed)?.size === 0
}
