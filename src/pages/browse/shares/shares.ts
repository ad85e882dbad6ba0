import { type CreatedPosition, hashNewPassword } from '../../../accounts/index.ts'
import { badRequest } from '../../../http/responses/errors.ts'
import { siteKey } from '../../../http/site-key.ts'
import { readShareFields, shareFaults } from '../../../http/wire/shares.ts'
import { faultOf } from '../../../lib/faults.ts'
import { type Html, html } from '../../../lib/html.ts'
import { Refusal } from '../../../lib/refusal.ts'
import {
  createShare,
  editOwnShare,
  isOfOthers,
  listOwnShares,
  mayEditShare,
  notYourShare,
  readOwnShare,
  revokeOwnShare,
  type Share,
  usualShareEnd,
} from '../../../media/index.ts'
import { readSettings } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { ownPath } from '../../own-path.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { linkButton } from '../../parts/controls.ts'
import { pager } from '../../parts/lists.ts'
import { emptyState } from '../../parts/states.ts'
import { type FormFaults, faultsInWords, noFaults, refusalInWords } from '../../refusal-words.ts'
import { orRefusal } from '../../refused.ts'
import { mineTabs } from '../files/mine-tabs.ts'
import { listPage } from '../lists/list-page.ts'
import { addressWith, filesOfPage } from '../lists/read-page.ts'
import { bodyOf, fieldsOfForm, fieldsOfShare, newFields, shareForm } from './share-form.ts'
import { shareTable } from './share-list.ts'
import { type FormState, type Shared, sharesPage } from './shares-page.ts'

type FindShared = (call: PageCall) => Promise<Shared>

/** For the proof: whether a new share is about an album or file of another user. */
export const sharesOthers =
  (find: FindShared) =>
  async (call: PageCall): Promise<boolean> => {
    const { of, id } = await find(call)
    return isOfOthers(call.site, userOf(call), of === 'album' ? { albumId: id } : { fileId: id })
  }

export const isShareOfOthers = async (call: PageCall): Promise<boolean> =>
  isOfOthers(call.site, userOf(call), await shareOf(call))

/** The shares of one album or file, and the form for a new one. */
export const getSharesOf =
  (find: FindShared): PageHandler =>
  async (call) => {
    const shared = await find(call)
    const end = await usualShareEnd(call.site, call.site.clock.now())
    return sharesPage(call, shared, { fields: newFields(end), faults: noFaults })
  }

/** Makes a share and shows it among the others. */
export const postSharesOf =
  (find: FindShared): PageHandler =>
  async (call) => {
    const shared = await find(call)
    const fields = fieldsOfForm(call.form)
    const body = bodyOf(fields, call.form.get('password') ?? '', shared.of)
    const faults = faultsOf(call, body)
    if (faults.size > 0) return sharesPage(call, shared, { fields, faults })
    const { password, maxViews, maxUploads, ...rest } = readShareFields(body)
    const passwordHash = await hashNewPassword(password ?? undefined)
    const input = {
      ...rest,
      ...(shared.of === 'album' ? { albumId: shared.id } : { fileId: shared.id }),
      passwordHash,
      maxViews: maxViews ?? undefined,
      maxUploads: maxUploads ?? undefined,
    }
    const made = await orRefusal(
      changeSite(call.app.control, call.site, (site) =>
        createShare(site, userOf(call), input, siteKey(call.app, site, 'share tokens')),
      ),
    )
    if (made instanceof Refusal)
      return sharesPage(call, shared, { fields, faults: refusalInWords(call.reader, made) })
    return { to: `${shared.path}/shares?made=${made.id}` }
  }

/** An end in the past would make a share that opens nothing. */
function faultsOf({ site, reader: { words } }: PageCall, body: Record<string, unknown>): FormFaults {
  const texts = ['max_views', 'max_uploads'].filter((name) => typeof body[name] === 'string')
  const faults = [
    ...texts.map((name) => faultOf(name, 'wholeNumber', { given: String(body[name]).slice(0, 40) })),
    ...shareFaults(body),
  ]
  if (faults.length > 0) return faultsInWords(words, faults)
  const { expiresAt } = readShareFields(body)
  const hasEnded = expiresAt && expiresAt <= site.clock.now()
  return faultsInWords(words, hasEnded ? [faultOf('expires_at', 'future')] : [])
}

/** All shares of the caller, the youngest first. */
export const getShares: PageHandler = async (call) => {
  const { site, reader } = call
  const { words } = reader
  const { timezone } = await readSettings(site)
  const after = readAfter(call.query.get('after'))
  const filter = { albumId: undefined, fileId: undefined }
  const found = await listOwnShares(site, userOf(call), filter, { after, limit: filesOfPage + 1 })
  const shares = found.slice(0, filesOfPage)
  const last = found.length > filesOfPage ? shares.at(-1) : undefined
  const body =
    shares.length === 0
      ? emptyState({ title: words.noShares, text: words.noSharesText })
      : html`${shareTable(call, shares, timezone)}${waysOf(call, after, last)}`
  const about = mineTabs(call, 'shares')
  return { isSecret: true, page: listPage(call, { title: words.sharesTab, about, body }) }
}

function waysOf(
  call: PageCall,
  after: CreatedPosition | undefined,
  last: Share | undefined,
): Html | undefined {
  if (!after && !last) return undefined
  const { words } = call.reader
  return pager({
    words,
    newer: after && addressWith(call, {}),
    older: last && addressWith(call, { after: `${last.createdAt.toISOString()}~${last.id}` }),
    labels: [words.listFirst, words.listNext],
  })
}

function readAfter(text: string | null): CreatedPosition | undefined {
  if (text === null || text === '') return undefined
  const [, createdAt, id] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)~([A-Za-z0-9]{1,64})$/.exec(text) ?? []
  if (createdAt === undefined || id === undefined)
    throw badRequest('after: is not a place in this list. Begin at its first page.')
  return { createdAt, id }
}

const shareOf = (call: PageCall): Promise<Share> =>
  readOwnShare(call.site, userOf(call), (call.params.id ?? '').slice(0, 64))

async function editableShare(call: PageCall): Promise<Share> {
  const share = await shareOf(call)
  if (!mayEditShare(userOf(call), share)) throw notYourShare()
  return share
}

export const getShareEdit: PageHandler = async (call) => {
  const share = await editableShare(call)
  return editPage(call, share, { fields: fieldsOfShare(share), faults: noFaults })
}

/** Changes a share; its link stays. */
export const postShareEdit: PageHandler = async (call) => {
  const share = await editableShare(call)
  const fields = fieldsOfForm(call.form)
  const body = bodyOf(fields, call.form.get('password') ?? '', kindOf(share))
  const faults = faultsOf(call, body)
  if (faults.size > 0) return editPage(call, share, { fields, faults })
  const { password, ...change } = readShareFields(body)
  const passwordHash = password === null ? null : await hashNewPassword(password)
  const input = { ...change, id: share.id, ...(passwordHash !== undefined && { passwordHash }) }
  const edited = await orRefusal(
    changeSite(call.app.control, call.site, (site) => editOwnShare(site, userOf(call), input)),
  )
  if (edited instanceof Refusal)
    return editPage(call, share, { fields, faults: refusalInWords(call.reader, edited) })
  return { to: '/mine/shares' }
}

const kindOf = ({ albumId }: Share) => (albumId === undefined ? 'file' : 'album')

function editPage(call: PageCall, share: Share, { fields, faults }: FormState): PageAnswer {
  const { words } = call.reader
  const form = shareForm(call.reader, {
    fields,
    faults,
    of: kindOf(share),
    hasPassword: share.passwordHash !== undefined,
    save: words.shareSave,
    action: `/mine/shares/${share.id}`,
    back: '/mine/shares',
  })
  const back = linkButton(words.sharesTab, '/mine/shares', { look: 'quiet', icon: 'left' })
  return {
    status: faults.size > 0 ? 400 : 200,
    page: listPage(call, { title: words.shareEditTitle, above: back, body: form }),
  }
}

/** From the next request on its link is answered with 410. */
export const postShareRevoke: PageHandler = async (call) => {
  const share = await shareOf(call)
  await changeSite(call.app.control, call.site, (site) => revokeOwnShare(site, userOf(call), share.id))
  return { to: ownPath(call.form.get('to') ?? '', '/mine/shares') }
}
