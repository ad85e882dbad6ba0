import type { Config } from '../../config.ts'
import { addressKey } from '../../lib/net/addresses.ts'

/**
 * The key by which the limits of one caller are counted. Undefined for a trusted proxy that does not name the client,
 * because all clients are behind it.
 */
export function boundKeyOf({ trustedProxies }: Config, address: string): string | undefined {
  return address === '' || trustedProxies.has(address) ? undefined : addressKey(address)
}
