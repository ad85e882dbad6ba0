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
  type NewShare,
  noSuchShare,
  notYourShare,
  readOwnShare,
  revokeOwnShare,
  type Share,
  usualShareEnd,
} from '../../../media/index.ts'
import { readSettings } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import { tokenField } from '../../../ui/form.ts'
import { addressWith } from '../../../ui/list-address.ts'
import { ownPath } from '../../../ui/own-path.ts'
import { linkButton, submitButton } from '../../../ui/parts/controls.ts'
import { pager } from '../../../ui/parts/lists.ts'
import { emptyState } from '../../../ui/parts/states.ts'
import { type FormFaults, faultsInWords, noFaults, refusalInWords } from '../../../ui/refusal-words.ts'
import { orRefusal } from '../../../ui/refused.ts'
import { type PageAnswer, type PageCall, type PageHandler, userOf } from '../../page-call.ts'
import { mineTabs } from '../files/mine-tabs.ts'
import { listPage } from '../lists/list-page.ts'
import { filesOfPage } from '../lists/read-page.ts'
import {
  bodyOf,
  fieldsOfForm,
  fieldsOfShare,
  kindOfShare,
  newFields,
  optionFields,
  type ShareKind,
} from './share-form.ts'
import { shareTable } from './share-list.ts'
import { sharedFiles } from './shared-things.ts'
import { type FormState, noSharePage, type Shared, sharesPage, sharesPath } from './shares-page.ts'

type FindShared = (call: PageCall) => Promise<Shared>

/** For the proof: whether a new share is about an album or files of another user. */
export const sharesOthers =
  (find: FindShared) =>
  async (call: PageCall): Promise<boolean> => {
    return isOfOthers(call.site, userOf(call), thingOf(await find(call)))
  }

function thingOf({ of, id, fileIds = [] }: Shared): Pick<NewShare, 'albumId' | 'fileId' | 'fileIds'> {
  if (of === 'files') return { fileIds }
  return of === 'album' ? { albumId: id } : { fileId: id }
}

export const isShareOfOthers = async (call: PageCall): Promise<boolean> =>
  isOfOthers(call.site, userOf(call), await shareOf(call))

/** A link to one album, file or selection, and the others. Nothing is made by looking. */
export const getSharesOf =
  (find: FindShared, kind: ShareKind = 'share'): PageHandler =>
  async (call) => {
    const shared = await find(call)
    const id = call.query.get('share') ?? ''
    const chosen = id === '' ? undefined : await shareOfThing(call, shared, id)
    return showShares(call, shared, { chosen, kind })
  }

export async function showShares(
  call: PageCall,
  shared: Shared,
  { chosen, kind }: { chosen?: Share | undefined; kind: ShareKind },
): Promise<PageAnswer> {
  const end = await usualShareEnd(call.site, call.site.clock.now())
  return sharesPage(call, shared, {
    kind: chosen ? kindOfShare(chosen) : kind,
    fields: chosen ? fieldsOfShare(chosen) : newFields(end, kind),
    faults: noFaults,
    chosen,
    isOpen: call.query.has('edit'),
  })
}

/** A share of several files; which ones are selected is known to their list alone. */
export const getFileShares: PageHandler = async (call) =>
  call.query.has('share') ? getSharesOf(sharedFiles)(call) : noSharePage(call, call.query.has('stopped'))

async function shareOfThing(call: PageCall, { of, id }: Shared, shareId: string): Promise<Share> {
  const share = await readOwnShare(call.site, userOf(call), shareId.slice(0, 64))
  const isThis = of === 'files' ? share.fileIds : (of === 'album' ? share.albumId : share.fileId) === id
  if (!isThis) throw noSuchShare(share.id)
  return share
}

/** Makes a share, or changes the one that was just made, and shows it above the others. */
export const postSharesOf =
  (find: FindShared, ofPage: ShareKind = 'share'): PageHandler =>
  async (call) => {
    const shared = await find(call)
    const id = call.form.get('id') ?? ''
    const chosen = id === '' ? undefined : await shareOfThing(call, shared, id)
    if (chosen && !mayEditShare(userOf(call), chosen)) throw notYourShare()
    const kind = chosen ? kindOfShare(chosen) : ofPage
    const fields = fieldsOfForm(call.form)
    const refused = (faults: FormFaults) => sharesPage(call, shared, { kind, fields, faults, chosen })
    const body = bodyOf(fields, call.form.get('password') ?? '', kind)
    const faults = faultsOf(call, body)
    if (faults.size > 0) return refused(faults)
    const made = await orRefusal(chosen ? changeShare(call, chosen, body) : makeShare(call, shared, body))
    if (made instanceof Refusal) return refused(refusalInWords(call.reader, made))
    return { to: `${sharesPath(shared, kind)}?share=${made.id}${chosen ? '&edit=1' : ''}` }
  }

async function makeShare(call: PageCall, shared: Shared, body: Record<string, unknown>): Promise<Share> {
  const { password, maxViews, maxUploads, ...rest } = readShareFields(body)
  const input = {
    ...rest,
    ...thingOf(shared),
    passwordHash: await hashNewPassword(password ?? undefined),
    maxViews: maxViews ?? undefined,
    maxUploads: maxUploads ?? undefined,
  }
  return changeSite(call.app.control, call.site, (site) =>
    createShare(site, userOf(call), input, siteKey(call.app, site, 'share tokens')),
  )
}

async function changeShare(call: PageCall, { id }: Share, body: Record<string, unknown>): Promise<Share> {
  const { password, ...change } = readShareFields(body)
  const passwordHash = password === null ? null : await hashNewPassword(password)
  const input = { ...change, id, ...(passwordHash !== undefined && { passwordHash }) }
  return changeSite(call.app.control, call.site, (site) => editOwnShare(site, userOf(call), input))
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
  const body = bodyOf(fields, call.form.get('password') ?? '', kindOfShare(share))
  const faults = faultsOf(call, body)
  if (faults.size > 0) return editPage(call, share, { fields, faults })
  const edited = await orRefusal(changeShare(call, share, body))
  if (edited instanceof Refusal)
    return editPage(call, share, { fields, faults: refusalInWords(call.reader, edited) })
  return { to: '/mine/shares' }
}

function editPage(
  call: PageCall,
  share: Share,
  { fields, faults }: Pick<FormState, 'fields' | 'faults'>,
): PageAnswer {
  const { reader } = call
  const { words } = reader
  const hasPassword = share.passwordHash !== undefined
  const body = html`<form method="post" action="/mine/shares/${share.id}" class="ask">${tokenField(reader)}
${optionFields(reader, { fields, faults, kind: kindOfShare(share), hasPassword })}
<p class="actions">${submitButton(words.shareSave)}${linkButton(words.cancel, '/mine/shares', { look: 'plain' })}</p>
</form>`
  const above = linkButton(words.sharesTab, '/mine/shares', { look: 'quiet', icon: 'left' })
  return {
    status: faults.size > 0 ? 400 : 200,
    page: listPage(call, { title: words.shareEditTitle, above, body }),
  }
}

/** From the next request on its link is answered with 410. */
export const postShareRevoke: PageHandler = async (call) => {
  const share = await shareOf(call)
  await changeSite(call.app.control, call.site, (site) => revokeOwnShare(site, userOf(call), share.id))
  return { to: ownPath(call.form.get('to') ?? '', '/mine/shares') }
}
