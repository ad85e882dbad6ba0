import { isRecent } from '../../lib/clock.ts'
import { randomId } from '../../lib/ids.ts'
import { openSealedText, sealText } from '../../lib/sealed-text.ts'
import type { Site } from '../../site/index.ts'

/** A browser or program with which a user has logged in before, known by a cookie. It opens nothing. */
export interface Device {
  id: string
  userId: string
}

export const deviceSeconds = 180 * 86_400

const boundTo = 'device'

/** For the cookie. A device of the user keeps its id, so that its wrong passwords still count. */
export function sealDevice(
  site: Site,
  key: Uint8Array,
  { userId, known }: { userId: string; known: readonly Device[] },
): string {
  const { id } = known.find((device) => device.userId === userId) ?? { id: randomId() }
  return sealText(key, JSON.stringify({ id, userId, at: site.clock.now().getTime() }), boundTo)
}

/** Undefined if the cookie was changed, was set by another site, or is older than 180 days. */
export function openDevice(site: Site, key: Uint8Array, sealed: string): Device | undefined {
  const text = openSealedText(key, sealed, boundTo)
  if (text === undefined) return undefined
  const { id, userId, at } = JSON.parse(text) as Device & { at: number }
  return isRecent(at, deviceSeconds * 1_000, site.clock.now()) ? { id, userId } : undefined
}
