import { createHash } from 'node:crypto'
import sharp from 'sharp'
import { createUser, createUserKey, type Role } from '../../src/accounts/index.ts'
import { findBytes } from '../../src/media/index.ts'
import { type ChangingSite, changeSetting, changingSite, type SettingName } from '../../src/site/index.ts'
import { openSite, readTenant, writePendingStats } from '../../src/tenants/index.ts'
import type { Answer, TestApp } from './harness.ts'
import { until } from './until.ts'

export type TestTenant = Awaited<ReturnType<TestApp['tenant']>>

/** One part of a form; with a file name it is a file. */
export interface Part {
  name: string
  value: string | Buffer
  fileName?: string
  type?: string
}

/** How an upload is sent. A small picture is sent as a file unless something else is. */
export interface Sending {
  method?: string
  path?: string
  /** The key in the header: the tenant's own unless told, none where null. */
  key?: string | null
  headers?: Record<string, string>
  query?: Record<string, string> | string
  file?: Buffer
  fileName?: string
  fileField?: string
  /** Text parts before the file. */
  fields?: Record<string, string>
  /** Text parts behind the file. */
  later?: Record<string, string>
  /** These parts and no others. */
  parts?: readonly Part[]
  /** In place of a multipart form. */
  form?: Record<string, string> | string
  json?: unknown
}

export async function upload(app: TestApp, tenant: TestTenant, sending: Sending = {}): Promise<Answer> {
  const { method = 'POST', path = '/api/1/upload', key = tenant.apiKey } = sending
  const query = queryText(sending.query ?? '')
  const body = method === 'GET' ? undefined : await bodyOf(sending)
  return app.send(method, query === '' ? path : `${path}?${query}`, {
    ...(body && { bytes: body.bytes }),
    headers: {
      host: tenant.hostname,
      ...(key !== null && { 'x-api-key': key }),
      ...(body && { 'content-type': body.type }),
      ...sending.headers,
    },
  })
}

/** The uploaded file's object; whatever else is answered fails the test. */
export async function uploaded(app: TestApp, tenant: TestTenant, sending: Sending = {}): Promise<any> {
  const { status, text, json } = await upload(app, tenant, sending)
  if (status !== 200 || !json?.image) throw new Error(`The upload was answered ${status}: ${text}`)
  return json.image
}

/** Status, number and message of a refusal. */
export const refusalOf = ({ status, json, text }: Answer) =>
  json?.error ? [status, json.error.code, json.error.message] : [status, text]

export function multipartOf(parts: readonly Part[]): { type: string; bytes: Buffer } {
  const boundary = '----terrace-test-6d1f0c'
  const pieces = parts.flatMap(({ name, value, fileName, type }) => {
    const isFile = fileName !== undefined
    const disposition = `form-data; name="${name}"${isFile ? `; filename="${fileName}"` : ''}`
    const typeLine = isFile || type ? `Content-Type: ${type ?? 'application/octet-stream'}\r\n` : ''
    const head = `--${boundary}\r\nContent-Disposition: ${disposition}\r\n${typeLine}\r\n`
    return [Buffer.from(head), Buffer.from(value), Buffer.from('\r\n')]
  })
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  }
}

const queryText = (query: Record<string, string> | string) =>
  typeof query === 'string' ? query : new URLSearchParams(query).toString()

async function bodyOf(sending: Sending): Promise<{ type: string; bytes: Buffer }> {
  if (sending.json !== undefined)
    return { type: 'application/json', bytes: Buffer.from(JSON.stringify(sending.json)) }
  if (sending.form !== undefined) {
    return { type: 'application/x-www-form-urlencoded', bytes: Buffer.from(queryText(sending.form)) }
  }
  if (sending.parts) return multipartOf(sending.parts)
  const texts = (fields: Record<string, string> = {}) =>
    Object.entries(fields).map(([name, value]) => ({ name, value }))
  const value = sending.file ?? (await picture())
  const { fileName = 'picture.png', fileField = 'source' } = sending
  return multipartOf([
    ...texts(sending.fields),
    { name: fileField, value, fileName },
    ...texts(sending.later),
  ])
}

interface Drawing {
  width?: number
  height?: number
  /** Pictures of different seeds have different bytes. */
  seed?: number
  format?: 'png' | 'jpeg' | 'webp' | 'gif' | 'avif' | 'tiff'
}

const drawn = new Map<string, Promise<Buffer>>()

/** A picture of one colour. */
export function picture({
  width = 40,
  height = 30,
  seed = 0,
  format = 'png',
}: Drawing = {}): Promise<Buffer> {
  const name = [width, height, seed, format].join()
  const background = { r: seed & 255, g: (seed >> 8) & 255, b: 128 }
  const known =
    drawn.get(name) ??
    sharp({ create: { width, height, channels: 3, background } })
      [format]()
      .toBuffer()
  drawn.set(name, known)
  return known
}

/** A picture that takes about so many bytes, since nothing in it can be foretold. */
export function noise(width: number, height: number): Promise<Buffer> {
  const bytes = Buffer.alloc(width * height * 3)
  for (let at = 0, state = 1; at < bytes.length; at += 1) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    bytes[at] = state >> 16
  }
  return sharp(bytes, { raw: { width, height, channels: 3 } })
    .png({ compressionLevel: 0 })
    .toBuffer()
}

export const md5Of = (bytes: Buffer): string => createHash('md5').update(bytes).digest('hex')

/** Works on a tenant's site, past the API and without a sync of its stats. */
export async function onSiteOf<T>(
  app: TestApp,
  tenant: TestTenant,
  work: (site: ChangingSite) => Promise<T>,
): Promise<T> {
  const { control } = app.app
  await using site = await openSite(control, await readTenant(control, tenant.id))
  return await work(changingSite(site))
}

export async function set(
  app: TestApp,
  tenant: TestTenant,
  settings: Partial<Record<SettingName, string>>,
): Promise<void> {
  await onSiteOf(app, tenant, async (site) => {
    for (const [name, value] of Object.entries(settings)) await changeSetting(site, name, value)
  })
}

/** Limits and switches of the operator. */
export async function limit(app: TestApp, tenant: TestTenant, limits: Record<string, string>): Promise<void> {
  const { status, text } = await app.call('PATCH', `tenants/${tenant.id}`, { limits })
  if (status !== 204) throw new Error(text)
}

/** A user's upload key. */
export function userWithKey(
  app: TestApp,
  tenant: TestTenant,
  username: string,
  role: Role = 'user',
): Promise<{ userId: string; key: string }> {
  return onSiteOf(app, tenant, async (site) => {
    const account = { username, email: `${username}@example.com`, password: 'a long password' }
    const { id: userId } = await createUser(site, { ...account, role })
    return { userId, key: await createUserKey(site, { userId, name: 'tests' }) }
  })
}

/** The bytes that are stored for an address of an answer; nothing where it is not served. */
export function storedBytes(app: TestApp, tenant: TestTenant, url: string): Promise<Buffer | undefined> {
  return onSiteOf(app, tenant, async (site) => {
    const path = decodeURIComponent(new URL(url).pathname).slice(1)
    const at = path.lastIndexOf('/')
    const found = await findBytes(site, { folder: path.slice(0, at), fileName: path.slice(at + 1) })
    const stored = found && (await site.storage.read(found.key))
    if (!stored) return undefined
    return Buffer.isBuffer(stored.content) ? stored.content : Buffer.concat(await stored.content.toArray())
  })
}

export const nowOf = (app: TestApp): Date => app.app.control.clock.now()

/** Moves the clock to a time. */
export function moveTo(app: TestApp, time: string): void {
  app.wait((Date.parse(time) - nowOf(app).getTime()) / 1_000)
}

/** Writes the views that the server has counted in memory, as it does every few seconds. */
export const writeViews = (app: TestApp): Promise<void> =>
  writePendingStats(app.app.control, (fault) => {
    throw fault
  })

/** Writes the views and waits until the stats tell them: the server may be writing them at this moment. */
export async function writeViewsOf(app: TestApp, tenant: TestTenant, count: number): Promise<void> {
  await writeViews(app)
  await until(async () => (await statsOf(app, tenant)).file_views === count, `The stats tell ${count} views`)
}

export async function statsOf(app: TestApp, tenant: TestTenant): Promise<Record<string, number>> {
  return (await app.call('GET', `tenants/${tenant.id}`)).json.stats
}
