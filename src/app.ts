import { type Logger, pino } from 'pino'
import type { Config } from './config.ts'
import {
  type Control,
  checkSecrets,
  type KeyFile,
  keptRequestSecret,
  Memory,
  nameOfInstallation,
  newJobTally,
  openKeyFile,
} from './control/index.ts'
import { openStore } from './db/index.ts'
import { type Imaging, startImaging } from './imaging/index.ts'
import { type Clock, systemClock } from './lib/clock.ts'
import { makeFolder } from './lib/durable.ts'
import { keyRingOf } from './lib/key-ring.ts'
import { Places, Sites } from './site/index.ts'
import { openDiskStorage, openS3Storage, type Storage } from './storage/index.ts'

/** The installation, opened: what the doors work with. */
export interface App extends AsyncDisposable {
  readonly config: Config
  readonly control: Control
  /** Where the bytes of all sites are kept. */
  readonly storage: Storage
  /** What all sites decode with. */
  readonly imaging: Imaging
  readonly requestSecret: string
  /** Nothing when the keys come from the environment. */
  readonly keyFile: KeyFile | undefined
  readonly log: Logger
}

/** A site's files cost three descriptors and half a megabyte while it is open. */
const mostOpenSites = 200

const noFfmpeg =
  'No ffmpeg is used: videos are taken without frame, thumb and medium. FFMPEG_PATH may name one.'

/** Builds everything by hand, in order. */
export async function openApp(config: Config, clock: Clock = systemClock): Promise<App> {
  const log = pino({ level: config.logLevel, base: null }, pino.destination(2))
  await makeFolder(config.dataDir)
  await using opened = new AsyncDisposableStack()

  const onFault = (error: Error) => log.error({ error: error.message }, 'The database is in trouble')
  const store = opened.use(await openStore({ ...config, onFault }))
  const keyFile = config.encryptionKeys ? undefined : await openKeyFile(config.dataDir)
  const keyRing = keyRingOf(keyFile ?? fixedKeys(config.encryptionKeys ?? []))
  const requestSecret = config.requestSecret ?? (await keptRequestSecret(config.dataDir))

  const { storageUrl, dataDir } = config
  const storage = storageUrl
    ? await openS3Storage({ url: storageUrl })
    : await openDiskStorage({ root: dataDir })
  opened.use(storage)
  const onNoFfmpeg = () => log.warn(noFfmpeg)
  const imaging = opened.use(startImaging({ ffmpeg: config.ffmpeg, onNoFfmpeg }))
  const installation = () => nameOfInstallation(store)
  const places = opened.use(new Places({ ...config, store, storage, installation, onFault }))
  const sites = opened.use(new Sites({ places, imaging, clock }, mostOpenSites))

  const control: Control = {
    store,
    sites,
    places,
    keyRing,
    memory: new Memory(store.controlVersion),
    toldMemory: new Memory(store.toldVersion),
    clock,
    jobTally: newJobTally(),
    processValues: config.processValues,
    enforcedValues: config.enforcedValues,
  }
  await checkSecrets(control, { text: requestSecret, isGenerated: config.requestSecret === undefined })

  const all = opened.move()
  return {
    config,
    control,
    storage,
    imaging,
    requestSecret,
    keyFile,
    log,
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

const fixedKeys = (keys: readonly Uint8Array[]) => ({ keys: () => keys, refresh: () => undefined })
