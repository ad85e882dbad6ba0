import { type Logger, pino } from 'pino'
import { DiscoveryCache, openProviderSlots } from './accounts/index.ts'
import type { Config } from './config.ts'
import {
  auditSecret,
  type Control,
  checkSecrets,
  installationId,
  type KeyFile,
  keptRequestSecret,
  openKeyFile,
  openWorkRunner,
  PendingStats,
  storageFolder,
  VersionedCache,
  type WorkRunner,
} from './control/index.ts'
import { openStore, openWriteTurns, type Store } from './db/index.ts'
import {
  decoderFolder,
  decodersOf,
  type Imaging,
  layerTexts,
  type SandboxLayer,
  shareDecoders,
  startImaging,
} from './imaging/index.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import type { TenantSlots } from './lib/concurrency/fair-slots.ts'
import { withTimeout } from './lib/concurrency/promises.ts'
import { makeFolder } from './lib/files/durable.ts'
import { keyRingOf } from './lib/key-ring.ts'
import { type NameLookups, openNameLookups } from './lib/net/name-lookups.ts'
import { sendMessage } from './lib/net/send-message.ts'
import { everyAddress } from './lib/net/url-allow.ts'
import { oneProcess, type Processes } from './lib/processes/processes.ts'
import { Refusal } from './lib/refusal.ts'
import { type Mailer, openMailer } from './mail/index.ts'
import { newJobCounters } from './scheduling/index.ts'
import { AuditLogs, BackendPool, newProcessCounters, PurgeQueue, Sites } from './site/index.ts'
import { claimedStorage, isClaimed, openDiskStorage, openS3Storage, type Storage } from './storage/index.ts'
import {
  type ExportRunner,
  openExportRunner,
  openPurgeSender,
  type PurgeSender,
  recoverStaleMove,
  startAuditWriting,
  startStatsWriting,
} from './tenants/index.ts'

/** The opened installation, which HTTP, jobs and the command line tool work with. */
export interface App extends AsyncDisposable {
  readonly config: Config
  readonly control: Control
  /** The processes of this server. */
  readonly processes: Processes
  /** The installation's own storage. */
  readonly storage: Storage
  /** The decoders, which all sites share. */
  readonly imaging: Imaging
  /** Look-ups of hostnames that clients give. */
  readonly lookups: NameLookups
  /** Calls to login providers, which administrators of sites name. */
  readonly providerSlots: TenantSlots
  /** Discovery documents of login providers. */
  readonly providerDocuments: DiscoveryCache
  readonly requestSecret: string
  /** Exports that the management API was asked for. */
  readonly exports: ExportRunner
  /** Long work that operators have asked for; only a server starts it. */
  readonly work: WorkRunner
  /** Undefined: this installation sends no purges, or another process of the server does. */
  readonly purges: PurgeSender | undefined
  /** Undefined: this installation sends no mail. */
  readonly mailer: Mailer | undefined
  /** Undefined if the keys come from the environment. */
  readonly keyFile: KeyFile | undefined
  readonly log: Logger
}

/** An open site takes three file descriptors and half a megabyte. */
const mostOpenSites = 200

const noFfmpeg =
  'FFmpeg is missing: videos are accepted without frame, thumb and medium. Set FFMPEG_PATH to use one.'

const missingLayers = 'This machine does not allow every sandbox layer for ffmpeg'

interface SharedParts {
  /** Decoders that stay open when the app is closed: apps may share them. */
  imaging?: Imaging | undefined
  processes?: Processes
}

/** Builds everything by hand, in order. */
export async function openApp(
  config: Config,
  clock: Clock = systemClock,
  { imaging: sharedImaging, processes = oneProcess() }: SharedParts = {},
): Promise<App> {
  const log = pino({ level: config.logLevel, base: null }, pino.destination(2))
  await makeFolder(config.dataDir)
  await using opened = new AsyncDisposableStack()

  const onFault = (error: Error) => log.error({ error: error.message }, 'A connection to the database failed')
  const turns = openWriteTurns(processes)
  const store = opened.use(await openStore({ ...config, turns, onFault }))
  const keyFile = config.encryptionKeys ? undefined : await openKeyFile(config.dataDir)
  const keyRing = keyRingOf(keyFile ?? fixedKeys(config.encryptionKeys ?? []))
  const requestSecret = config.requestSecret ?? (await keptRequestSecret(config.dataDir))

  const { storageUrl, dataDir, isFilesShared: isShared } = config
  const storage = opened.use(
    storageUrl
      ? await openOwnBucket(storageUrl, { store, dataDir })
      : await openDiskStorage({ root: dataDir, isShared }),
  )
  const imaging = sharedImaging ?? opened.use(openDecoders(config, log, processes))
  const installation = () => installationId(store)
  const backends = opened.use(new BackendPool({ ...config, store, storage, turns, installation, onFault }))
  const auditLogs = new AuditLogs({
    folder: config.auditHeads,
    clock,
    secret: await auditSecret(store, keyRing),
  })
  const counters = newProcessCounters()
  const queue = config.purge && new PurgeQueue()
  const parts = { backends, imaging, clock, auditLogs, counters, purges: queue }
  const sites = opened.use(new Sites(parts, mostOpenSites))

  const control: Control = {
    store,
    sites,
    backends,
    keyRing,
    cache: new VersionedCache({ version: store.controlVersion, whenCurrent: store.whenCurrent }),
    statsCache: new VersionedCache({ version: store.allStatsVersion, whenCurrent: store.whenCurrent }),
    clock,
    author: { kind: 'job' },
    onUnfinishedMove: (site, move) => recoverStaleMove(control, site, move),
    jobCounters: newJobCounters(),
    counters,
    pendingStats: new PendingStats(clock, counters),
    processValues: config.processValues,
    enforcedValues: config.enforcedValues,
  }
  await checkSecrets(control, { text: requestSecret, isGenerated: config.requestSecret === undefined })

  const onUnwritten = (fault: unknown, site?: number) =>
    log.warn({ site, error: String(fault) }, 'Views or stats could not be written')
  opened.use(startStatsWriting(control, processes, onUnwritten))
  const onAuditFault = (text: string) => (fault: unknown, site?: number) =>
    log.error({ site, error: String(fault) }, text)
  opened.use(
    startAuditWriting(control, {
      notCounted: onAuditFault('Counted events of an audit log could not be written'),
      notCopied: onAuditFault('The signed head of an audit log could not be written'),
    }),
  )

  const exports = opened.use(
    openExports(processes, () =>
      openExportRunner(control, {
        requestSecret,
        onFault: (fault, id) => log.warn({ export: id, error: String(fault) }, 'An export has failed'),
      }),
    ),
  )

  const work = openWorkRunner(control, (fault, work) =>
    log.warn({ kind: work?.kind, target: work?.target, error: String(fault) }, 'Long work has failed'),
  )

  const lookups = openNameLookups(config.dnsServers, processes)
  const purges = queue && openPurges({ config, control, processes, queue, lookups, log })
  if (purges) opened.use(purges)

  const { url, from } = config.mail
  const mailer = url === undefined ? undefined : opened.use(openMailer({ url, from }))
  const all = opened.move()
  return {
    config,
    control,
    processes,
    storage,
    imaging,
    lookups,
    providerSlots: openProviderSlots(processes),
    providerDocuments: new DiscoveryCache(),
    requestSecret,
    exports,
    work,
    purges,
    mailer,
    keyFile,
    log,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

/** The first process runs the exports of the server, one at a time. */
function openExports(processes: Processes, open: () => ExportRunner): ExportRunner {
  const { first } = processes
  if (!first) {
    const exports = open()
    processes.answer('wake-exports', () => exports.wake())
    return exports
  }
  return {
    // If the first process ends, the job of the next server wakes its runner.
    wake: () => void first.ask('wake-exports', undefined).catch(() => undefined),
    [Symbol.asyncDispose]: async () => undefined,
  }
}

type PurgeParts = Pick<App, 'config' | 'control' | 'processes' | 'lookups' | 'log'> & { queue: PurgeQueue }

/** Of an attempt to send a purge. */
const purgeMs = 15_000

/** The first process sends the purges of the server. */
function openPurges({
  config,
  control,
  processes,
  queue,
  lookups,
  log,
}: PurgeParts): PurgeSender | undefined {
  const { first } = processes
  if (first) {
    // If the first process ends, the next server finds them.
    const pass = (site: number) => void first.ask('relay-purges', site).catch(() => undefined)
    queue.onAdded(() => queue.takeAll().forEach(pass))
    return undefined
  }
  processes.answer('relay-purges', (site) => queue.add(site as number))
  const { url = '', secret } = config.purge ?? {}
  const { resolve } = lookups
  const endpoint = { url, secrets: secret ? [secret] : [], allow: everyAddress, resolve, timeoutMs: purgeMs }
  const send: Parameters<typeof openPurgeSender>[1]['send'] = (message, signal) =>
    sendMessage(endpoint, message, { at: control.clock.now(), signal })
  return openPurgeSender(control, { queue, send, log })
}

/** Decoders are in the first process, so that their number and their queue are those of the server. */
function openDecoders(config: Config, log: Logger, processes: Processes): Imaging {
  if (processes.first) return decodersOf(processes.first)
  const imaging = startDecoders(config, log)
  shareDecoders(imaging, processes)
  return imaging
}

function startDecoders(
  { ffmpeg, dataDir, isDecoderPerTenant: isChildPerTenant }: Config,
  log: Logger,
): Imaging {
  const onNoFfmpeg = () => log.warn(noFfmpeg)
  const onMissingLayers = (missing: readonly SandboxLayer[]) =>
    log.warn({ missing: missing.map((layer) => layerTexts[layer]) }, missingLayers)
  const folder = decoderFolder(dataDir)
  return startImaging({ ffmpeg, onNoFfmpeg, onMissingLayers, folder, isChildPerTenant })
}

/** How long the start waits for the claim of the bucket. It is checked again before anything is written there. */
const claimMs = 3_000

/** Opens the installation's own folder of its bucket. Installations of earlier versions have none, and claim the whole bucket. */
async function openOwnBucket(
  url: string,
  { store, dataDir }: { store: Store; dataDir: string },
): Promise<Storage> {
  const prefix = await storageFolder(store)
  const bucket = await openS3Storage({ url, prefix })
  if (prefix !== '') return bucket
  const storage = claimedStorage(bucket, { owner: await installationId(store), tempFolder: dataDir })
  try {
    await withTimeout(
      claimMs,
      storage.claim(),
      () => new Refusal('unavailable', 'bucket-silent', 'No answer yet.'),
    )
  } catch (error) {
    if (error instanceof Refusal && !isClaimed(error)) return storage
    await storage[Symbol.asyncDispose]()
    throw error
  }
  return storage
}

const fixedKeys = (keys: readonly Uint8Array[]) => ({ keys: () => keys, refresh: () => undefined })
