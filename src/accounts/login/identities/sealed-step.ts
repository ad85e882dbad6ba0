import { isRecent } from '../../../lib/clock.ts'
import { openSealedText, sealText } from '../../../lib/sealed-text.ts'
import type { Site } from '../../../site/index.ts'
import { connectEnded } from '../providers/provider-errors.ts'

/** How long a person has at the provider, and to choose what follows. */
export const connectSeconds = 600

/** For a cookie: what a log-in by a provider carries from step to step, for ten minutes. */
export function sealStep(site: Site, key: Uint8Array, boundTo: string, content: object): string {
  const endsAt = endOfStep(site)
  return sealText(key, JSON.stringify({ ...content, endsAt: endsAt.getTime() }), boundTo)
}

export const endOfStep = (site: Site): Date => new Date(site.clock.now().getTime() + connectSeconds * 1_000)

/** Refuses one that has ended, or was made for something else. */
export function openStep<Content extends object>(
  site: Site,
  key: Uint8Array,
  boundTo: string,
  sealed: string,
): Content {
  const text = openSealedText(key, sealed, boundTo)
  if (text === undefined) throw connectEnded()
  const { endsAt, ...content } = JSON.parse(text) as Content & { endsAt: number }
  const ms = connectSeconds * 1_000
  if (!isRecent(endsAt - ms, ms, site.clock.now())) throw connectEnded()
  return content as unknown as Content
}
