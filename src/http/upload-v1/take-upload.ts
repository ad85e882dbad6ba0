import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Actor, actorOfKey } from '../../accounts/index.ts'
import type { App } from '../../app.ts'
import { parseUrlAllow } from '../../lib/url-allow.ts'
import {
  checkMayUpload,
  checkMayUploadUrl,
  emptySource,
  isHidden,
  largestUpload,
  readUploadRequest,
  type SpooledFile,
  type StoredFile,
  type Uploaded,
  uploadFile,
} from '../../media/index.ts'
import { readSettings, type Site } from '../../site/index.ts'
import { tenantOfHost } from '../../tenants/index.ts'
import { addressesOf, type FileAddresses } from '../file-addresses.ts'
import type { SiteHandler } from '../site-route.ts'
import { tellTotals } from '../tell-totals.ts'
import { fetchToSpool } from './fetch-url.ts'
import { type Format, formatInQuery, formatOf, isPlain, unknownFormat } from './format.ts'
import { readUpload, type UploadForm } from './read-upload.ts'
import { spoolFolderOf } from './spool-folder.ts'
import { writeAnswer, writeUploaded } from './wire.ts'

/** Key, caller, parameters, source: what is known before the body is read is checked before. */
export function takeUpload(app: App): SiteHandler {
  return async (site, request, reply) => {
    request.isAnsweredInText = isPlain(formatInQuery(request.url))
    const tell = (refusal: unknown) => throwInItsFormat(app, request, refusal)
    // A key in the query may yet be outdone by one in the form.
    const headerKey = String(request.headers['x-api-key'] ?? '')
    const known = headerKey === '' ? undefined : await actorWhoMay(site, headerKey).catch(tell)

    const maxBytes = await mostBytes(site, known)
    await using form = await readUpload(request.raw, { spoolFolder: spoolFolderOf(app), maxBytes })
    const format = formatOf(form.parameters)
    request.isAnsweredInText = isPlain(format)
    const actor = known ?? (await actorWhoMay(site, form.parameters.get('key')))
    if (!format) throw unknownFormat()
    const isDialect = form.sourceField === 'image'
    const asked = await readUploadRequest(site, actor, { parameters: form.parameters, isDialect })
    const spooled = await sourceOf(app, site, { actor, form, reply })

    // All that the answer needs is known before: what is stored must not be answered with an error.
    const { timezone: timeZone } = await readSettings(site)
    const upload = { spooled, request: asked, address: request.visitor.address }
    const uploaded = await uploadFile(site, actor, upload)
    await tellTotals(app, site)
    return await answer(app, site, { uploaded, format, isDialect, timeZone, reply })
  }
}

async function actorWhoMay(site: Site, key: string | undefined): Promise<Actor> {
  const actor = await actorOfKey(site, key)
  await checkMayUpload(site, actor)
  return actor
}

const smallBytes = 1_000_000

/** A small body is read along to see how it wants to be answered; nobody has to send a large one for nothing. */
async function throwInItsFormat(app: App, request: FastifyRequest, refusal: unknown): Promise<never> {
  if (Number(request.headers['content-length'] ?? 0) <= smallBytes) {
    const reading = { spoolFolder: spoolFolderOf(app), maxBytes: smallBytes }
    await using form = await readUpload(request.raw, reading).catch(() => undefined)
    if (form) request.isAnsweredInText = isPlain(formatOf(form.parameters))
  }
  throw refusal
}

/** A key that comes behind the file is not known yet: then whatever anybody may send is read. */
async function mostBytes(site: Site, actor: Actor | undefined): Promise<number> {
  if (actor) return largestUpload(site, actor)
  const guest = await largestUpload(site, { kind: 'guest' })
  return Math.max(guest, await largestUpload(site, { kind: 'user', userId: '', role: 'user' }))
}

interface Fetching {
  actor: Actor
  form: UploadForm
  reply: FastifyReply
}

async function sourceOf(app: App, site: Site, { actor, form, reply }: Fetching): Promise<SpooledFile> {
  const { source, folder } = form
  if (!source) throw emptySource()
  if ('refused' in source) throw source.refused
  if (!('url' in source)) return source
  await checkMayUploadUrl(site, actor)
  const isOurs = async (hostname: string) => (await tenantOfHost(app.control, hostname)) !== undefined
  return fetchToSpool(source.url, {
    folder,
    maxBytes: await largestUpload(site, actor),
    allow: parseUrlAllow(site.values.get('SERVICE_UPLOAD_URL_ALLOW') ?? ''),
    ownHostnames: isOurs,
    signal: goneSignal(reply),
  })
}

/** Aborts when the caller has left. Of the answer and not of its connection, which would gather listeners while it lasts. */
function goneSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  reply.raw.once('close', () => gone.abort())
  return gone.signal
}

interface Answering {
  uploaded: Uploaded
  format: Format
  isDialect: boolean
  timeZone: string
  reply: FastifyReply
}

function answer(app: App, site: Site, { uploaded, format, isDialect, timeZone, reply }: Answering) {
  const addresses = addressesOf(app, site, uploaded.file)
  if (format === 'redirect') return sendRedirect(site, { file: uploaded.file, addresses, reply })
  if (format === 'txt') return reply.header('content-type', 'text/plain; charset=utf-8').send(addresses.url)
  const storageKind = site.storage.kind
  const object = writeUploaded({ site, uploaded, addresses, timeZone, storageKind })
  return reply
    .header('content-type', 'application/json; charset=utf-8')
    .send(JSON.stringify(writeAnswer(object, uploaded.file, isDialect)))
}

interface Redirecting {
  file: StoredFile
  addresses: FileAddresses
  reply: FastifyReply
}

/** To the page; in a private album, whose pages are nobody else's and tell nobody apart yet, to the file itself. */
async function sendRedirect(site: Site, { file, addresses, reply }: Redirecting) {
  // What is stored must not be answered with an error.
  const isWithoutPage = await isHidden(site, { kind: 'guest' }, file).catch(() => false)
  const location = isWithoutPage ? new URL(addresses.url).pathname : addresses.viewerPath
  return reply.code(302).header('location', location).send()
}
