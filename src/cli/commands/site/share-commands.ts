import { hashPassword } from '../../../accounts/index.ts'
import type { App } from '../../../app.ts'
import { shareUrlOf } from '../../../http/addresses/public-url.ts'
import { writeTime } from '../../../lib/times.ts'
import {
  allShares,
  checkSharePassword,
  createShareOf,
  revokeShare,
  type Share,
} from '../../../media/index.ts'
import { authoredBy, deriveSiteKey, type Site } from '../../../site/index.ts'
import { changeSite, openSite, readTenant } from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'
import { type Column, plain, tableOf } from '../../terminal/table.ts'
import { UsageFault } from '../../terminal/usage-fault.ts'
import { changeOnSite } from './on-site.ts'

interface ShareInput {
  tenant: string
  album?: string
  file?: string
  name?: string
  expires?: Date
  never?: boolean
  max_views?: number
  password?: string
  download?: boolean
  upload?: boolean
  max_uploads?: number
}

export async function createSiteShare(session: Session, { tenant, ...input }: ShareInput): Promise<void> {
  const { album, file, expires, never = false } = input
  const help = 'terrace site share:create --help'
  if ((album === undefined) === (file === undefined))
    throw new UsageFault(['Give either --album or --file.'], help)
  if (never && expires) throw new UsageFault(['Give either --expires or --never.'], help)
  await using app = await session.openApp()
  await using site = await openSite(app.control, await readTenant(app.control, tenant))
  const passwordHash = await hashChecked(input.password)
  const key = deriveSiteKey(app.requestSecret, site, 'share tokens')
  const share = await changeSite(app.control, authoredBy(site, { kind: 'tool' }), (changing) =>
    createShareOf(
      changing,
      {
        ...(album === undefined ? {} : { albumId: album }),
        ...(file === undefined ? {} : { fileId: file }),
        name: input.name,
        passwordHash,
        expiresAt: never ? null : expires,
        maxViews: input.max_views,
        maxUploads: input.max_uploads,
        allowsDownload: input.download,
        allowsUpload: input.upload,
      },
      key,
    ),
  )
  const shown = { ...share, url: urlOf(app, site, share) }
  const end = share.expiresAt ? `It expires at ${writeTime(share.expiresAt)}.` : 'It does not expire.'
  session.answer(writeShare(shown), () => `Created the share ${share.id}: ${shown.url}\n${end}`)
}

async function hashChecked(password: string | undefined): Promise<string | undefined> {
  if (password === undefined) return undefined
  checkSharePassword(password)
  return hashPassword(password)
}

type NamedShare = Share & { url: string }

const columns: readonly Column<NamedShare>[] = [
  { title: 'ID', value: (share) => share.id, style: () => 'cyan' },
  { title: 'NAME', value: (share) => share.name },
  { title: 'OPENS', value: opens },
  { title: 'USER', value: (share) => share.username },
  { title: 'VIEWS', value: (share) => ofMost(share.views, share.maxViews), isRight: true },
  { title: 'FILES', value: (share) => ofMost(share.uploads, share.maxUploads), isRight: true },
  {
    title: 'EXPIRES',
    value: ({ isSuspended, expiresAt }) =>
      isSuspended ? 'suspended' : expiresAt ? writeTime(expiresAt) : 'never',
    style: () => 'dim',
  },
  { title: 'URL', value: (share) => share.url },
]

function opens({ albumId, fileId, fileIds }: Share): string {
  if (fileIds) return fileIds.length === 1 ? '1 file' : `${fileIds.length} files`
  return albumId === undefined ? `file ${fileId}` : `album ${albumId}`
}

const ofMost = (used: number, most: number | undefined) =>
  most === undefined ? String(used) : `${used} of ${most}`

export async function listSiteShares(session: Session, { tenant }: { tenant: string }): Promise<void> {
  await using app = await session.openApp()
  await using site = await openSite(app.control, await readTenant(app.control, tenant))
  const shares = (await allShares(site)).map((share) => ({ ...share, url: urlOf(app, site, share) }))
  session.answerList(shares.map(writeShare), () => tableOf(session.out, columns, shares), {
    ifEmpty: `There are no shares. Create one: terrace site --tenant ${tenant} share:create --album ID`,
  })
}

/** Empty if the secret of the installation was changed since the share was made. */
const urlOf = (app: App, site: Site, share: Share) => shareUrlOf({ app, site })(share) ?? ''

const writeShare = (share: NamedShare) => ({
  id: share.id,
  name: share.name,
  album_id: share.albumId ?? null,
  file_id: share.fileId ?? null,
  ...(share.fileIds && { file_ids: share.fileIds }),
  user: { id: share.userId, username: share.username },
  is_suspended: share.isSuspended,
  url: share.url,
  has_password: share.passwordHash !== undefined,
  views: share.views,
  max_views: share.maxViews ?? null,
  uploads: share.uploads,
  max_uploads: share.maxUploads ?? null,
  allow_download: share.allowsDownload,
  allow_upload: share.allowsUpload,
  created_at: writeTime(share.createdAt),
  expires_at: share.expiresAt ? writeTime(share.expiresAt) : null,
})

export async function revokeSiteShare(
  session: Session,
  { tenant, id }: { tenant: string; id: string },
): Promise<void> {
  const share = await changeOnSite(session, tenant, (site) => revokeShare(site, id))
  const name = share.name === '' ? '' : ` (${plain(share.name)})`
  session.answer({ id, revoked: true }, () => `Revoked the share ${id}${name}. Its link no longer works.`)
}
