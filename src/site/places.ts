import { openSiteStore, type SiteStore, type Store } from '../db/index.ts'
import { openDiskStorage, openS3Storage, type Storage, storageUnder } from '../storage/index.ts'
import { bytesFolder, folderDatabase, folderStorage, type SitePlace } from './place.ts'

/** What the places of all sites have in common. */
export interface PlacesGround {
  store: Store
  storage: Storage
  dataDir: string
  /** As the installation itself is set up. */
  databaseUrl: string | undefined
  storageUrl: string | undefined
  /** What tells this installation from others. */
  installation: () => Promise<string>
  onFault: (error: Error) => void
}

/** Databases and storages beside the installation's own, each opened once for all sites that are there. */
export class Places implements AsyncDisposable {
  readonly #ground: PlacesGround
  readonly #stores = new Map<string, Promise<SiteStore>>()
  readonly #storages = new Map<string, Promise<Storage>>()

  constructor(ground: PlacesGround) {
    this.#ground = ground
  }

  get own(): { store: Store; storage: Storage } {
    return this.#ground
  }

  get dataDir(): string {
    return this.#ground.dataDir
  }

  /** A place in its one spelling: what is the installation's own is not told. */
  normal(values: { database: string | undefined; storage: string | undefined }) {
    const { databaseUrl = folderDatabase, storageUrl = folderStorage } = this.#ground
    return {
      database: values.database === databaseUrl ? undefined : values.database,
      storage: values.storage === storageUrl ? undefined : values.storage,
    }
  }

  store(database: string | undefined): Promise<SiteStore> {
    if (database === undefined) return Promise.resolve(this.#ground.store)
    return kept(this.#stores, database, async () => {
      const { dataDir, onFault } = this.#ground
      const installation = await this.#ground.installation()
      const databaseUrl = database === folderDatabase ? undefined : database
      return openSiteStore({ dataDir, databaseUrl, installation, onFault })
    })
  }

  /** A site's own folder of a storage. */
  async bytes(site: number, { storage, bytesAt }: Pick<SitePlace, 'storage' | 'bytesAt'>): Promise<Storage> {
    return storageUnder(await this.storage(storage), `${bytesFolder(site, bytesAt)}/files`)
  }

  storage(storage: string | undefined): Promise<Storage> {
    if (storage === undefined) return Promise.resolve(this.#ground.storage)
    return kept(this.#storages, storage, async () => {
      if (storage === folderStorage) return openDiskStorage({ root: this.#ground.dataDir })
      // Several installations may share a bucket: numbers of sites are each one's own.
      return openS3Storage({ url: storage, prefix: await this.#ground.installation() })
    })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const opened = [...this.#stores.values(), ...this.#storages.values()]
    await Promise.allSettled(opened.map(async (each) => (await each)[Symbol.asyncDispose]()))
  }
}

/** One that could not be opened is tried anew by whoever comes next. */
function kept<T>(known: Map<string, Promise<T>>, name: string, open: () => Promise<T>): Promise<T> {
  const opening = known.get(name) ?? open()
  known.set(name, opening)
  opening.catch(() => {
    if (known.get(name) === opening) known.delete(name)
  })
  return opening
}
