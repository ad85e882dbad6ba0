import type { FastifyRequest } from 'fastify'
import type { App } from '../../../app.ts'
import { isResumablePath, pathOf } from '../../../http/requests/paths.ts'
import { checksumAlgorithms, largestUpload, uploaderOf } from '../../../media/index.ts'
import type { Site } from '../../../site/index.ts'
import { findCaller } from '../rules/caller.ts'
import { tusVersion } from './tus-headers.ts'

/** What the server answers to OPTIONS about the protocol; nothing at other addresses. */
export async function tusOptionsOf(
  app: App,
  site: Site,
  request: FastifyRequest,
): Promise<Readonly<Record<string, string>>> {
  if (!isResumablePath(pathOf(request.url))) return {}
  return {
    'tus-version': tusVersion,
    'tus-extension': 'creation,creation-with-upload,checksum,expiration,termination',
    'tus-checksum-algorithm': checksumAlgorithms.join(','),
    'tus-max-size': String(await largestOf(app, site, request)),
  }
}

/** A preflight has no key: the answer says what a guest may send. */
async function largestOf(app: App, site: Site, request: FastifyRequest): Promise<number> {
  try {
    const { actor } = await uploaderOf(site, await findCaller(app, site, request))
    return await largestUpload(site, actor)
  } catch {
    return largestUpload(site, { kind: 'guest' })
  }
}
