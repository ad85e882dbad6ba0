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
import { changeSite, useSite } from '../tenants/index.ts'
import { foundOfRow, identityOf, limitsOf, type TransformRequest } from './asked-transform.ts'
import type { CachingLimits } from './file-response.ts'
import { proveKept } from './kept-bytes.ts'

/** What a request for a derived picture gets. */
export interface DerivedAnswer {
  found: FoundBytes
  limits: CachingLimits
  /** Bytes that were made or read just now; otherwise they are in the storage, those of a derived picture proven. */
  bytes?: Buffer
}

interface Wanting {
  found: FoundBytes
  request: TransformRequest
  endsIn: number
  /** Whether bytes in memory are enough. A proxy sends those of the disk. */
  mayBeCached: boolean
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
    return pictureInPlace(app, wanting)
  }
}

/** A picture that is kept, with its bytes proven. One that is missing or damaged is forgotten, to be made again. */
async function keptPicture(
  app: App,
  site: Site,
  { found, mayBeCached }: Wanting,
  options: string,
): Promise<Pick<DerivedAnswer, 'found' | 'bytes'> | undefined> {
  const { id: fileId, keyRevision } = found.file
  const row = await findDerived(site.db, { fileId, keyRevision, options })
  if (!row) return undefined
  const kept = foundOfRow(found, row)
  const bytes = await proveKept({ app, site, found: kept }, { mayBeCached })
  if (bytes === 'damaged') {
    await changeSite(app.control, site, (changing) => forgetDerived(changing, row.id))
    return undefined
  }
  app.control.pendingStats.addHit(site.number, row.id)
  return { found: kept, ...(bytes !== 'stored' && { bytes }) }
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
  /** What cannot be decoded, or kept for later, is not tried again and again. */
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
  const remember = (error: unknown) => failures.set(name, { untilMs: performance.now() + failedMs, error })
  try {
    const made = await flight
    // Larger than the whole budget: each request would have it made again, and nobody would get it.
    if (making.isUnhurried && made.found.key === '') remember(decoderBusy())
    return made
  } catch (error) {
    logFailure(app, site, making, error)
    if (error instanceof Refusal && error.kind === 'invalid') remember(error)
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
  madeOnce(app, site, { ...making, isUnhurried: true }).catch(() => undefined)
}

/** A full queue and a used-up quota are no faults, and come with every request. */
function logFailure({ log }: App, { number }: Site, { found }: Making, error: unknown): void {
  const isExpected = error instanceof Refusal && ['quota-reached', 'decoder-busy'].includes(error.code)
  if (isExpected) return
  const about = { site: number, file: found.file.id, cause: String(error) }
  if (error instanceof Refusal) log.warn(about, 'A picture could not be made')
  else log.error({ ...about, stack: (error as Error).stack }, 'A picture could not be made')
}

/** A picture in another size is better than none. */
export function pictureInPlace(
  app: App,
  { found, request }: Pick<Wanting, 'found' | 'request'>,
): DerivedAnswer {
  app.control.counters.done.transformFallbacks += 1
  // An address that a share gave may not give the file itself.
  const mayBeWhole = request.plan.isWhole || !request.isShared
  const version = nearestVersion(found.file, { width: request.asked.width, mayBeWhole })
  return {
    found: bytesOfVersion(found.file, version),
    limits: { mostSeconds: 0, isUncached: true, isVarying: request.plan.isVarying },
  }
}
