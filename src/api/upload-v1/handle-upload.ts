import type { FastifyRequest } from 'fastify'
import { type Actor, actorOfKey, isOfEndedRights, wrongKey } from '../../accounts/index.ts'
import type { App } from '../../app.ts'
import type { SiteDb } from '../../db/index.ts'
import { addressesOf, type FileAddresses, signedPagePath } from '../../http/addresses/file-addresses.ts'
import { isAwaitingContinue } from '../../http/connection/request-body.ts'
import { disconnectSignal } from '../../http/connection/running-work.ts'
import { memberOf, onBehalfOf, senderOf } from '../../http/requests/caller-records.ts'
import { answerOnce } from '../../http/requests/once/answer-once.ts'
import { isUploadPath, pathOf } from '../../http/requests/paths.ts'
import { isPrefetch } from '../../http/requests/user-agents.ts'
import type { ErrorForm } from '../../http/send-error.ts'
import type { SiteHandler } from '../../http/site-route.ts'
import { uploadNumbers } from '../../http/uploads/error-numbers.ts'
import { readQueryParameters } from '../../http/uploads/parameters.ts'
import { type ReadingOptions, readUpload, uploadOnce } from '../../http/uploads/read-upload.ts'
import { prefetchRefused } from '../../http/uploads/reading/form-errors.ts'
import { sourceOf } from '../../http/uploads/source/chosen-source.ts'
import { spoolFolderOf } from '../../http/uploads/source/spool.ts'
import { openUnauthenticatedBytes } from '../../http/uploads/source/unauthenticated-bytes.ts'
import { faultOf } from '../../lib/faults.ts'
import { invalidFields, Refusal } from '../../lib/refusal.ts'
import {
  checkMayUpload,
  isHidden,
  isProtected,
  largestUpload,
  readUploadRequest,
  type StoredFile,
  type Uploaded,
  uploadFile,
} from '../../media/index.ts'
import { readSettings, type Site } from '../../site/index.ts'
import { changeSite } from '../../tenants/index.ts'
import { writeUploaded, writeUploadResponse } from './wire.ts'

/** Checks key, caller, parameters and source in this order. A key in the header is checked before the body is read. */
export function handleUpload(app: App): SiteHandler {
  return async (site, request, reply) => {
    if (isPrefetch(request.headers)) throw prefetchRefused()
    request.hasTextErrors = isPlain(formatInQuery(request.url))
    using unknown = openUnauthenticatedBytes(app, request)
    const actorOf = cachedActors(site, request)
    const onKey = (key: string) => actorOf(key).then(unknown.close, () => undefined)
    const onRefused = (parameters: Parameters) => {
      request.hasTextErrors = isPlain(formatOf(parameters))
    }
    const { count, settle } = unknown
    const reading = { spoolFolder: spoolFolderOf(app), count, settle, onRefused }
    // A key in the form replaces one in the query, so only the header's key is known now.
    const headerKey = String(request.headers['x-api-key'] ?? '')
    const known =
      headerKey === '' ? undefined : await actorOf(headerKey).catch(refuseInFormat(request, reading))
    if (known) unknown.close()

    const maxBytes = await mostBytes(site, known)
    await using form = await readUpload(request.raw, { ...reading, maxBytes, ...(!known && { onKey }) })
    const format = formatOf(form.parameters)
    request.hasTextErrors = isPlain(format)
    const actor = known ?? (await actorOf(form.parameters.get('key')))
    unknown.close()
    if (!format) throw unknownFormat()
    const isThirdPartyFormat = form.sourceField === 'image'
    const uploadRequest = await readUploadRequest(site, actor, {
      parameters: form.parameters,
      isThirdPartyFormat,
    })
    const signal = disconnectSignal(reply)
    const source = await sourceOf(app, site, { actor, form, signal })

    // Read before the file is stored: once it is stored, the response must not be an error.
    const { timezone: timeZone } = await readSettings(site)
    const upload = { source, request: uploadRequest, address: request.client.address, signal }
    const { scheme } = request.client
    const write = (reading: Site, uploaded: Uploaded) =>
      uploadAnswer(app, reading, { uploaded, format, isThirdPartyFormat, timeZone, scheme })
    const once = uploadOnce(request, actor, form)
    const { answer, isReplayed } = await answerOnce<UploadAnswer>(app, site, once, async (keep) => {
      let kept: UploadAnswer | undefined
      const keepUploaded = async (db: SiteDb, uploaded: Uploaded) => {
        kept = await write({ ...site, db }, uploaded)
        await keep?.(db, kept)
      }
      const uploaded = await changeSite(app.control, onBehalfOf(site, request, actor), (changing) =>
        uploadFile(changing, actor, { ...upload, ...(keep && { keep: keepUploaded }) }),
      ).catch(asWrongKey)
      return kept ?? write(site, uploaded)
    })
    if (isReplayed) reply.header('idempotency-replayed', 'true')
    return reply
      .code(answer.status)
      .headers(answer.headers)
      .send(answer.text || undefined)
  }
}

/** A key that has ended, or whose user was banned or demoted, while the file was sent. */
function asWrongKey(error: unknown): never {
  throw error instanceof Refusal && isOfEndedRights(error) ? wrongKey() : error
}

type Parameters = ReadonlyMap<string, string>

/** A key that was read before the file is looked up once, though it is checked again after the body. */
function cachedActors(site: Site, request: FastifyRequest): (key: string | undefined) => Promise<Actor> {
  const actors = new Map<string | undefined, Promise<Actor>>()
  return (key) => {
    const actor = actors.get(key) ?? permittedActor(site, key, request)
    actors.set(key, actor)
    return actor
  }
}

async function permittedActor(site: Site, key: string | undefined, request: FastifyRequest): Promise<Actor> {
  const actor = await actorOfKey(site, key, senderOf(request))
  request.member = memberOf(actor)
  await checkMayUpload(site, actor)
  return actor
}

const smallBytes = 1_000_000

/**
 * Reads a small body of a refused upload for its `format` parameter. A large body, and one that waits for `100 Continue`,
 * is not read.
 */
function refuseInFormat({ raw }: FastifyRequest, reading: Omit<ReadingOptions, 'maxBytes'>) {
  return async (refusal: unknown): Promise<never> => {
    if (Number(raw.headers['content-length'] ?? 0) <= smallBytes && !isAwaitingContinue(raw)) {
      await using form = await readUpload(raw, { ...reading, maxBytes: smallBytes }).catch(() => undefined)
      if (form) reading.onRefused?.(form.parameters)
    }
    throw refusal
  }
}

/** If the key is not known before the file, the largest limit of any caller counts. */
async function mostBytes(site: Site, actor: Actor | undefined): Promise<number> {
  if (actor) return largestUpload(site, actor)
  const guest = await largestUpload(site, { kind: 'guest' })
  return Math.max(guest, await largestUpload(site, { kind: 'user', userId: '', role: 'user' }))
}

/** The response to an upload, before it is sent. It can be stored and sent again. */
interface UploadAnswer {
  status: number
  headers: Readonly<Record<string, string>>
  text: string
}

interface Answering {
  uploaded: Uploaded
  format: Format
  isThirdPartyFormat: boolean
  timeZone: string
  scheme: FastifyRequest['client']['scheme']
}

async function uploadAnswer(
  app: App,
  site: Site,
  { uploaded, format, isThirdPartyFormat, timeZone, scheme }: Answering,
): Promise<UploadAnswer> {
  // The file is stored, so the response must not be an error; a signature that is not needed does no harm.
  const isSigned = await isProtected(site, uploaded.file).catch(() => true)
  const signing = isSigned ? {} : undefined
  const addresses = addressesOf(app, site, uploaded.file, { forwarded: scheme, signing })
  if (format === 'redirect')
    return { status: 302, headers: { location: await pageOf(app, site, uploaded.file, addresses) }, text: '' }
  if (format === 'txt')
    return { status: 200, headers: { 'content-type': 'text/plain; charset=utf-8' }, text: addresses.url }
  const storageKind = site.storage.kind
  const object = writeUploaded({ site, uploaded, addresses, timeZone, storageKind })
  const text = JSON.stringify(writeUploadResponse(object, uploaded.file, isThirdPartyFormat))
  return { status: 200, headers: { 'content-type': 'application/json; charset=utf-8' }, text }
}

/** The path of the page; in a private album, whose pages are 404 for guests, signed, so that it opens. */
async function pageOf(
  app: App,
  site: Site,
  file: StoredFile,
  { viewerPath }: FileAddresses,
): Promise<string> {
  // The file is stored, so the response must not be an error.
  const isWithoutPage = await isHidden(site, { kind: 'guest' }, file).catch(() => false)
  return isWithoutPage ? signedPagePath(app, site, file) : viewerPath
}

/** The format of the response to an upload. */
type Format = 'json' | 'txt' | 'redirect'

/** Undefined if the parameter is none of them. */
function formatOf(parameters: ReadonlyMap<string, string>): Format | undefined {
  const format = parameters.get('format') ?? 'json'
  return format === 'json' || format === 'txt' || format === 'redirect' ? format : undefined
}

/** The format of a refusal before the body is read. A fault of the query is reported later, in its order. */
export function formatInQuery(url: string): Format | undefined {
  try {
    return formatOf(readQueryParameters(url))
  } catch {
    return undefined
  }
}

/** Whether a refusal is sent as its message alone. */
export const isPlain = (format: Format | undefined): boolean => format === 'txt' || format === 'redirect'

const unknownFormat = () => invalidFields([faultOf('format', 'uploadFormat')], 'bad-parameter')

/** Errors of the upload API: JSON, or the message alone for a caller that asked for text. */
export const uploadErrorForm: ErrorForm = {
  fits: ({ url }) => isUploadPath(pathOf(url)),
  numbers: uploadNumbers,
  write: (_app, { hasTextErrors }, reply, { response: { body } }) => {
    reply.header('content-type', `${hasTextErrors ? 'text/plain' : 'application/json'}; charset=utf-8`)
    return hasTextErrors ? body.error.message : JSON.stringify(body)
  },
}
