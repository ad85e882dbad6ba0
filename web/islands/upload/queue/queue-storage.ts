import type { UploadedFile } from '../../../../src/common/wire.ts'
import type { Row } from './row.ts'

/** What a guest has uploaded from this browser. */
export interface OwnFile {
  id: string
  at: number
  name: string
  file: UploadedFile
}

interface Stores {
  rows: Row
  bytes: { id: string; blob: Blob }
  own: OwnFile
}

const usualBudget = 500_000_000

/** The browser's storage. Where it is forbidden or full, the queue lives as long as its page. */
export interface QueueStorage {
  all<Name extends keyof Stores>(name: Name): Promise<Stores[Name][]>
  ids(name: keyof Stores): Promise<ReadonlySet<string>>
  get<Name extends keyof Stores>(name: Name, id: string): Promise<Stores[Name] | undefined>
  /** True once it is stored: the end of the transaction counts, not the success of the request. */
  put<Name extends keyof Stores>(name: Name, ...values: Stores[Name][]): Promise<boolean>
  delete(name: keyof Stores, ...ids: string[]): Promise<boolean>
}

let opening: Promise<IDBDatabase> | undefined

export const openQueueStorage = (): QueueStorage => {
  const run = async <T>(
    name: keyof Stores,
    mode: IDBTransactionMode,
    work: (store: IDBObjectStore) => IDBRequest<T> | undefined,
  ): Promise<T | undefined> => {
    opening ??= openDatabase()
    const transaction = (await opening).transaction(name, mode)
    const request = work(transaction.objectStore(name))
    await new Promise((resolve, reject) => {
      transaction.oncomplete = resolve
      transaction.onabort = transaction.onerror = () => reject(transaction.error)
    })
    return request?.result
  }
  const change = (name: keyof Stores, work: (store: IDBObjectStore) => void) =>
    run(name, 'readwrite', (store) => {
      work(store)
      return undefined
    }).then(
      () => true,
      () => false,
    )
  return {
    all: async (name) =>
      (await run(name, 'readonly', (store) => store.getAll()).catch(() => undefined)) ?? [],
    ids: async (name) => {
      const ids = await run(name, 'readonly', (store) => store.getAllKeys()).catch(() => undefined)
      return new Set(ids?.map(String))
    },
    get: (name, id) => run(name, 'readonly', (store) => store.get(id)).catch(() => undefined),
    put: (name, ...values) =>
      change(name, (store) => {
        for (const value of values) store.put(value)
      }),
    delete: (name, ...ids) =>
      change(name, (store) => {
        for (const id of ids) store.delete(id)
      }),
  }
}

function openDatabase(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('terrace-uploads', 1)
    request.onupgradeneeded = () => {
      for (const name of ['rows', 'bytes', 'own']) request.result.createObjectStore(name, { keyPath: 'id' })
    }
    request.onsuccess = () => resolve(request.result)
    request.onerror = request.onblocked = () => reject(request.error)
  })
}

/** Half of what the browser grants. On plain http the browser does not say how much that is. */
export async function budgetBytes(): Promise<number> {
  const { quota } = (await navigator.storage?.estimate?.().catch(() => undefined)) ?? {}
  return quota === undefined ? usualBudget : quota / 2
}
