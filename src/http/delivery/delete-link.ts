import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { fileOfDeleteLink, isHidden, removeFile, type StoredFile } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import { addressesOf } from '../file-addresses.ts'
import type { SiteRoute } from '../site-route.ts'
import { tellTotals } from '../tell-totals.ts'
import { isBrowser, isLookingAhead } from './askers.ts'
import { deletePage } from './delete-page.ts'
import { noSuchFile } from './errors.ts'
import { anybody, checkedId, type FileType } from './file-at.ts'
import { questionPolicy } from './viewer/page.ts'

/** Deletes for a program that says plainly what it wants, and asks everybody else. */
export function getDeletion(type: FileType): SiteRoute['handle'] {
  return (app) => async (site, request, reply) => {
    const file = await fileOfLink(site, type, request, reply)
    const isProgram = !isBrowser(request.headers) && !isLookingAhead(request.headers)
    if (isProgram && request.method === 'GET') {
      await remove(app, site, file)
      return sendDeleted(reply)
    }
    const isWithoutPage = !file.isApproved || (await isHidden(site, anybody, file))
    const addresses = addressesOf(app, site, file)
    const page = deletePage({ siteName: site.hostname, file, addresses, isWithoutPage })
    return reply
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', questionPolicy)
      .send(page)
  }
}

/** What the page's form sends, or a program. */
export function postDeletion(type: FileType): SiteRoute['handle'] {
  return (app) => async (site, request, reply) => {
    await remove(app, site, await fileOfLink(site, type, request, reply))
    return isBrowser(request.headers) ? reply.code(303).header('location', '/').send() : sendDeleted(reply)
  }
}

export function deleteByLink(type: FileType): SiteRoute['handle'] {
  return (app) => async (site, request, reply) => {
    await remove(app, site, await fileOfLink(site, type, request, reply))
    return sendDeleted(reply)
  }
}

async function fileOfLink(
  site: Site,
  type: FileType,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<StoredFile> {
  // The address is a secret, whatever comes of it.
  reply.header('x-robots-tag', 'noindex').header('referrer-policy', 'no-referrer')
  const { id, token } = request.params as { id: string; token: string }
  const file = await fileOfDeleteLink(site, { id: checkedId(id), token })
  if (file.type !== type) throw noSuchFile()
  return file
}

async function remove(app: App, site: Site, file: StoredFile): Promise<void> {
  await removeFile(site, file)
  await tellTotals(app, site)
}

const sendDeleted = (reply: FastifyReply) =>
  reply
    .header('content-type', 'application/json; charset=utf-8')
    .send('{"status_code":200,"success":{"message":"file deleted","code":200},"status_txt":"OK"}')
