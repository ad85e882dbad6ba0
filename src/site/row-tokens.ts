import { confirmToken, lastTokenOf } from '../db/index.ts'
import type { Site } from './site.ts'

/** Stands for the rows of a site as they were last known; what is read after this call may be cached with it. */
export const lastRowsToken = (site: Site): object | undefined => lastTokenOf(site.db)

/** Whether what was cached with the token is current; undefined if it is, without waiting for it. */
export const confirmRows = (site: Site, token: object): Promise<boolean> | undefined =>
  confirmToken(site.db, token)
