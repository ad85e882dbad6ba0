import { listEnabledProviders } from '../../accounts/index.ts'
import {
  checkMayUploadOnPage,
  findVisiblePage,
  readAllowance,
  readUploadChoices,
  storageLeft,
} from '../../media/index.ts'
import { readSettings } from '../../site/index.ts'
import { isUnencrypted } from '../account/log-in/log-in.ts'
import { logInPath } from '../guard.ts'
import { homePage } from '../home-page.ts'
import type { PageAnswer, PageCall, PageHandler } from '../page-call.ts'
import { answerPage } from '../texts/show-page.ts'
import { albumAsked, readUploadData, uploaderOf } from './upload-data.ts'
import { type UploadForm, uploadPage } from './upload-page.ts'

/** The front page by the setting `home`. Guests who may not upload see the log-in under the name of the site. */
export const showHome: PageHandler = async (call) => {
  const { site, reader } = call
  const { home } = await readSettings(site)
  const page = home.startsWith('page:') ? await findVisiblePage(site, home.slice('page:'.length)) : undefined
  if (page) return answerPage(call, page)
  if (home === 'explore' && reader.account?.mayExplore) return { to: '/explore', status: 302 }
  if (reader.account?.mayUpload) return showForm(call)
  const providers = await listEnabledProviders(site)
  return {
    page: homePage({ siteName: site.hostname, reader, isUnencrypted: isUnencrypted(call), providers }),
  }
}

export const showUpload: PageHandler = async (call) => {
  if (call.reader.account?.mayUpload) return showForm(call)
  const album = albumAsked(call)
  const query = album === undefined ? '' : `?${new URLSearchParams({ album })}`
  return { to: logInPath(`/upload${query}`), status: 302 }
}

/** The page with the form, empty or as it was sent. */
export async function showForm(
  call: PageCall,
  sent: Pick<UploadForm, 'given' | 'faults' | 'fileFaults'> = {},
): Promise<PageAnswer & { page: string }> {
  const { site, reader } = call
  const uploader = uploaderOf(call)
  const [choices, allowance] = await Promise.all([
    readUploadChoices(site, uploader, albumAsked(call)),
    readAllowance(site, uploader, { keyCount: 0 }),
  ])
  const data = await readUploadData(call, choices)
  const isMember = call.session !== undefined
  return {
    page: uploadPage({
      siteName: site.hostname,
      reader,
      data,
      choices,
      allowance,
      leftBytes: storageLeft(site, allowance),
      isMember,
      isUnfolded: albumAsked(call) !== undefined,
      ...sent,
    }),
  }
}

/** For the dock of other pages. */
export const getUploadData: PageHandler = async (call) => {
  const uploader = uploaderOf(call)
  await checkMayUploadOnPage(call.site, uploader)
  const data = await readUploadData(call, await readUploadChoices(call.site, uploader, albumAsked(call)))
  return call.reply
    .headers({ 'content-type': 'application/json; charset=utf-8', 'cache-control': 'no-store' })
    .send(JSON.stringify(data))
}
