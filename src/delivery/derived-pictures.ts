import type { App } from '../app.ts'
import { openSpool, spoolFolderOf } from '../http/uploads/source/spool.ts'
import { decoderBusy } from '../imaging/index.ts'
import { FairSlots } from '../lib/concurrency/fair-slots.ts'
import { LruMap } from '../lib/lru.ts'
import { Refusal } from '../lib/refusal.ts'
import {
  bytesOfVersion,
  derivePicture,
  type FoundBytes,
  findDerived,
  forgetDerived,
  nearestVersion,
  type Plan,
} from '../media/index.ts'
import type { Site } from '../site/index.ts'
import { readProven } from '../storage/index.ts'
import { changeSite, useSite } from '../tenants/index.ts'
import { foundOfRow, identityOf, limitsOf, type TransformRequest } from './asked-transform.ts'
import type { CachingLimits } from './file-response.ts'
import { hotCacheOf } from './hot-files.ts'
import { checkStored, nameOf } from './read-bytes.ts'

/** What a request for a derived picture gets. */
export interface DerivedAnswer {
  found: FoundBytes
  limits: CachingLimits
  /** Bytes that were made or read just now; otherwise they are in the storage. */
  bytes?: Buffer
}

interface Wanting {
  found: FoundBytes
  request: TransformRequest
  endsIn: number
  /** Whether a proxy sends the bytes. */
  isRedirected: boolean
}

/** The kept picture, or one that is made now; in its place the nearest version if that cannot be done. */
export async function derivedPicture(app: App, site: Site, wanting: Wanting): Promise<DerivedAnswer> {
  const { found, request, endsIn } = wanting
  const { plan } = request
  if (plan.later) {
    const kept = await keptPicture(app, site, wanting, plan.later.key)
    if (kept) return { ...kept, limits: limitsOf(request, { isFinal: true, endsIn }) }
    makeLater(app, site, { found, request, part: plan.later })
  }
  const limits = limitsOf(request, { isFinal: plan.later === undefined, endsIn })
  const kept = await keptPicture(app, site, wanting, plan.key)
  if (kept) return { ...kept, limits }
  try {
    return { ...(await madeOnce(app, site, { found, request, part: plan })), limits }
  } catch (error) {
    if (error instanceof Refusal && error.code === 'file-not-found') throw error
    return fallback(app, site, wanting, error)
  }
}

/** A picture that is kept, with its bytes proven, or counted on a disk. One that is missing or damaged is forgotten and made again. */
async function keptPicture(
  app: App,
  site: Site,
  { found, isRedirected }: Wanting,
  options: string,
): Promise<Pick<DerivedAnswer, 'found' | 'bytes'> | undefined> {
  const { id: fileId, keyRevision } = found.file
  const row = await findDerived(site.db, { fileId, keyRevision, options })
  if (!row) return undefined
  const kept = foundOfRow(found, row)
  const bytes = await provenBytes(app, site, kept, isRedirected)
  if (bytes === 'damaged') {
    await changeSite(app.control, site, (changing) => forgetDerived(changing, row.id))
    return undefined
  }
  app.control.pendingStats.addHit(site.number, row.id)
  return { found: kept, ...(bytes && { bytes }) }
}

/** Longer ones are not held in memory. */
const mostProvenBytes = 8 * 1_048_576

async function provenBytes(
  app: App,
  site: Site,
  found: FoundBytes,
  isRedirected: boolean,
): Promise<Buffer | 'damaged' | undefined> {
  const reading = { app, site, found }
  const cache = hotCacheOf(app)
  const pinned = cache.pin(nameOf(reading))
  if (pinned) {
    cache.release(pinned)
    return undefined
  }
  if (isRedirected || found.sizeBytes > mostProvenBytes)
    return checkStored(reading).then(
      () => undefined,
      (error) => (isDamaged(error) ? 'damaged' : Promise.reject(error)),
    )
  const bytes = await readProven(site.storage, found)
  if (!Buffer.isBuffer(bytes)) return 'damaged'
  keepHot(reading, bytes)
  return bytes
}

const isDamaged = (error: unknown) => error instanceof Refusal && error.code === 'damaged'

function keepHot(reading: Parameters<typeof nameOf>[0] & { app: App }, bytes: Buffer): void {
  const cache = hotCacheOf(reading.app)
  const room = cache.reserve(nameOf(reading), bytes.length)
  if (room) cache.release(room.fill(bytes))
}

type Part = Pick<Plan, 'options' | 'key'>

interface Making {
  found: FoundBytes
  request: TransformRequest
  part: Part
  isUnhurried?: boolean
}

type Made = Pick<DerivedAnswer, 'found' | 'bytes'>

/** What this process is making. */
interface Workshop {
  /** By site and identity: however many ask, each picture is made once. */
  flights: Map<string, Promise<Made>>
  /** Files that cannot be decoded are not tried again and again. */
  failures: LruMap<string, { untilMs: number; error: unknown }>
  /** Each holds a copy of its original. What waits for a slot holds nothing. */
  slots: FairSlots
  unhurriedSlots: FairSlots
}

const workshops = new WeakMap<App, Workshop>()

function workshopOf(app: App): Workshop {
  const known = workshops.get(app)
  if (known) return known
  const busy = decoderBusy
  const made = {
    flights: new Map(),
    failures: new LruMap<string, { untilMs: number; error: unknown }>(1_000),
    slots: new FairSlots({ inAll: 16, perTenant: 8, waiting: 256, waitMs: 10_000, busy }),
    unhurriedSlots: new FairSlots({ inAll: 4, perTenant: 2, waiting: 200, waitMs: 10 * 60_000, busy }),
  }
  workshops.set(app, made)
  return made
}

const failedMs = 10 * 60_000

async function madeOnce(app: App, site: Site, making: Making): Promise<Made> {
  const { flights, failures } = workshopOf(app)
  const { file } = making.found
  const { id: fileId, keyRevision } = file
  const name = `${site.number} ${identityOf({ fileId, keyRevision, options: making.part.key })}`
  const failure = failures.get(name)
  if (failure && failure.untilMs > performance.now()) throw failure.error
  const flying = flights.get(name)
  if (flying) return flying
  const flight = make(app, site, making)
  flights.set(name, flight)
  try {
    return await flight
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'invalid')
      failures.set(name, { untilMs: performance.now() + failedMs, error })
    throw error
  } finally {
    flights.delete(name)
  }
}

const never = new AbortController().signal

async function make(
  app: App,
  site: Site,
  { found, request, part, isUnhurried = false }: Making,
): Promise<Made> {
  const { slots, unhurriedSlots } = workshopOf(app)
  using _slot = await (isUnhurried ? unhurriedSlots : slots).take(String(site.number), never)
  await using spool = openSpool(spoolFolderOf(app))
  await spool.made
  const { file } = found
  const deriving = { ...part, file, frame: request.original.frame, folder: spool.folder, isUnhurried }
  const work = (own: Site) => changeSite(app.control, own, (changing) => derivePicture(changing, deriving))
  // Nobody waits for an unhurried one: the site may have been closed meanwhile.
  const { made, bytes, row } = await (isUnhurried ? useSite(app.control, site.number, work) : work(site))
  app.control.counters.done.transforms += 1
  if (row) return { found: foundOfRow(found, row), bytes }
  const { id: fileId, keyRevision } = file
  const derived = { id: '', identity: identityOf({ fileId, keyRevision, options: part.key }) }
  const { mime, sizeBytes, sha256 } = made
  return { found: { file, key: '', mime, sizeBytes, sha256, isOriginal: false, derived }, bytes }
}

/** Nobody waits for it. */
function makeLater(app: App, site: Site, making: Making): void {
  madeOnce(app, site, { ...making, isUnhurried: true }).catch((error) => logFailure(app, site, making, error))
}

/** A full queue and a used-up quota are no faults, and come with every request. */
function logFailure({ log }: App, { number }: Site, { found }: Pick<Making, 'found'>, error: unknown): void {
  const isExpected = error instanceof Refusal && ['quota-reached', 'decoder-busy'].includes(error.code)
  if (isExpected) return
  const about = { site: number, file: found.file.id, cause: String(error) }
  if (error instanceof Refusal) log.warn(about, 'A picture could not be made')
  else log.error({ ...about, stack: (error as Error).stack }, 'A picture could not be made')
}

/** A picture in another size is better than none. */
function fallback(app: App, site: Site, { found, request }: Wanting, cause: unknown): DerivedAnswer {
  app.control.counters.done.transformFallbacks += 1
  logFailure(app, site, { found }, cause)
  // An address that a share gave may not give the file itself.
  const mayBeWhole = request.plan.isWhole || !request.isShared
  const version = nearestVersion(found.file, { width: request.asked.width, mayBeWhole })
  return {
    found: bytesOfVersion(found.file, version),
    limits: { mostSeconds: 0, isUncached: true, isVarying: request.plan.isVarying },
  }
}
