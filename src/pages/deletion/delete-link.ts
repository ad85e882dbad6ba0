import type { FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../app.ts'
import { workingAddresses } from '../../http/addresses/file-addresses.ts'
import { checkedId, type FileType, pageVisitor } from '../../http/requests/file-at.ts'
import { isBrowser, isPlainProgram } from '../../http/requests/user-agents.ts'
import type { SiteHandle } from '../../http/site-route.ts'
import { fileNotFound, fileOfDeleteLink, isHidden, removeFile, type StoredFile } from '../../media/index.ts'
import type { Site } from '../../site/index.ts'
import { changeSite } from '../../tenants/index.ts'
import { sendPage } from '../../ui/headers.ts'
import { pageReader } from '../guard.ts'
import { deletePage } from './delete-page.ts'

/** Deletes for a program that means it (see `isPlainProgram`); sends every other caller a page that asks. */
export function getDeletion(type: FileType): SiteHandle {
  return (app) => async (site, request, reply) => {
    const file = await fileOfLink(site, type, request, reply)
    if (request.method === 'GET' && isPlainProgram(request.headers)) {
      await remove(app, site, file)
      return sendDeleted(reply)
    }
    const isWithoutPage = !file.isApproved || (await isHidden(site, pageVisitor, file))
    const addresses = await workingAddresses(app, site, file, request.client.scheme)
    const { reader } = await pageReader(app, site, request)
    const page = deletePage({ siteName: site.hostname, file, addresses, isWithoutPage, reader })
    return sendPage(app, request, reply, page)
  }
}

/** Handles the form of that page, and programs. */
export function postDeletion(type: FileType): SiteHandle {
  return (app) => async (site, request, reply) => {
    await remove(app, site, await fileOfLink(site, type, request, reply))
    return isBrowser(request.headers) ? reply.code(303).header('location', '/').send() : sendDeleted(reply)
  }
}

export function deleteByLink(type: FileType): SiteHandle {
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
  // The URL is a secret, so it must not be indexed or sent as a referrer, even if it is refused.
  reply.header('x-robots-tag', 'noindex').header('referrer-policy', 'no-referrer')
  const { id, token } = request.params as { id: string; token: string }
  const file = await fileOfDeleteLink(site, { id: checkedId(id), token })
  if (file.type !== type) throw fileNotFound()
  return file
}

const remove = (app: App, site: Site, file: StoredFile): Promise<void> =>
  changeSite(app.control, site, (changing) => removeFile(changing, file))

const sendDeleted = (reply: FastifyReply) =>
  reply
    .header('content-type', 'application/json; charset=utf-8')
    .send('{"status_code":200,"success":{"message":"file deleted","code":200},"status_txt":"OK"}')
