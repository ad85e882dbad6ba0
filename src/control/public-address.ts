import type { Control } from './control.ts'
import { findMeta, upsertMeta } from './meta-table.ts'

/** Scheme and port that visitors use, as the server knows them. */
export interface PublicAddress {
  scheme: 'http' | 'https'
  port: number
}

/** For the tool, whose environment may lack the server's settings and never sees the headers of a proxy. */
export async function recordPublicAddress({ store }: Control, address: PublicAddress): Promise<void> {
  await upsertMeta(store.control, 'public-address', JSON.stringify(address))
}

/** Undefined before the first start of a server. */
export async function recordedPublicAddress({ store }: Control): Promise<PublicAddress | undefined> {
  const text = await findMeta(store.control, 'public-address')
  return text === undefined ? undefined : JSON.parse(text)
}
