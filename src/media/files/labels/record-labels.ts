import { type ChangingSite, recordChange } from '../../../site/index.ts'

/** Tells the audit log of a tag that was made, by hand or with an upload. Part of the caller's transaction. */
export const recordNewTag = (site: ChangingSite, name: string): Promise<void> =>
  recordChange(site, { verb: 'tag.created', target: name, after: { name } })
