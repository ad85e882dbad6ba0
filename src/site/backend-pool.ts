import { openSiteStore, type SiteStore, type Store, type WriteTurns } from '../db/index.ts'
import { openDiskStorage, openS3Storage, prefixedStorage, type Storage } from '../storage/index.ts'
import { bytesFolder, folderDatabase, folderStorage, type SiteLocation } from './location.ts'

export interface BackendPoolOptions {
  store: Store
  storage: Storage
  dataDir: string
  /** The URLs of the installation's own database and storage. */
  databaseUrl: string | undefined
  storageUrl: string | undefined
  /** Whether the group may read files in the data folder. */
  isFilesShared: boolean
  /** If other processes of the server write the same SQLite files. */
  turns?: WriteTurns | undefined
  /** The id of this installation. */
  installation: () => Promise<string>
  onFault: (error: Error) => void
}

/** Databases and storages beside the installation's own, each opened once for all sites that use it. */
export class BackendPool implements AsyncDisposable {
  readonly #options: BackendPoolOptions
  readonly #stores = new Map<string, Promise<SiteStore>>()
  readonly #storages = new Map<string, Promise<Storage>>()

  constructor(options: BackendPoolOptions) {
    this.#options = options
  }

  get own(): { store: Store; storage: Storage } {
    return this.#options
  }

  get dataDir(): string {
    return this.#options.dataDir
  }

  /** The URLs of the installation's own database and storage become undefined. */
  normalise(values: { database: string | undefined; storage: string | undefined }) {
    const { databaseUrl = folderDatabase, storageUrl = folderStorage } = this.#options
    return {
      database: values.database === databaseUrl ? undefined : values.database,
      storage: values.storage === storageUrl ? undefined : values.storage,
    }
  }

  store(database: string | undefined): Promise<SiteStore> {
    if (database === undefined) return Promise.resolve(this.#options.store)
    return openOnce(this.#stores, database, async () => {
      const { dataDir, turns, onFault } = this.#options
      const installation = await this.#options.installation()
      const databaseUrl = database === folderDatabase ? undefined : database
      return openSiteStore({ dataDir, databaseUrl, installation, turns, onFault })
    })
  }

  /** The folder of a storage that belongs to one site. */
  async bytes(
    site: number,
    { storage, bytesGeneration }: Pick<SiteLocation, 'storage' | 'bytesGeneration'>,
  ): Promise<Storage> {
    return prefixedStorage(await this.storage(storage), `${bytesFolder(site, bytesGeneration)}/files`)
  }

  storage(storage: string | undefined): Promise<Storage> {
    if (storage === undefined) return Promise.resolve(this.#options.storage)
    return openOnce(this.#storages, storage, async () => {
      if (storage === folderStorage)
        return openDiskStorage({ root: this.#options.dataDir, isShared: this.#options.isFilesShared })
      // Several installations may share a bucket, and each numbers its sites from 1.
      return openS3Storage({ url: storage, prefix: await this.#options.installation() })
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = [...this.#stores.values(), ...this.#storages.values()]
    await Promise.allSettled(opened.map(async (each) => (await each)[Symbol.asyncDispose]()))
  }
}

/** A failed opening is not remembered: the next caller tries again. */
function openOnce<T>(known: Map<string, Promise<T>>, name: string, open: () => Promise<T>): Promise<T> {
  const opening = known.get(name) ?? open()
  known.set(name, opening)
  opening.catch(() => {
    if (known.get(name) === opening) known.delete(name)
  })
  return opening
}
