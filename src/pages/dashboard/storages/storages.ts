import { readStorageUse } from '../../../media/index.ts'
import { type PageHandler, userOf } from '../../page-call.ts'
import { storagesPage } from '../storages.ts'

/** Where the files of the site are stored, and what takes the room. */
export const showStorages: PageHandler = async (call) => ({
  page: storagesPage(call, await readStorageUse(call.site, userOf(call))),
})
