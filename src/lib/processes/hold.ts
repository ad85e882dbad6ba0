import type { Call, Peer } from './peer.ts'

export interface Held<T> {
  granted: T
  release(): void
}

/**
 * Asks for something that this process then holds. The question lasts as long, so that what a killed process held is free.
 * Undefined if it was not granted. Aborting the signal ends the waiting and the holding.
 */
export async function hold<T>(
  peer: Peer,
  verb: string,
  { input, signal }: { input: unknown; signal?: AbortSignal | undefined },
): Promise<Held<T> | undefined> {
  const released = new AbortController()
  const ends = signal ? AbortSignal.any([signal, released.signal]) : released.signal
  const { promise, resolve, reject } = Promise.withResolvers<Held<T> | undefined>()
  const release = () => released.abort()
  peer
    .ask(verb, input, { signal: ends, onProgress: (granted) => resolve({ granted: granted as T, release }) })
    .then(() => resolve(undefined), reject)
  return promise
}

/** The other side: grants it until the asker releases it, or has ended. */
export async function grant(
  { signal, progress }: Pick<Call, 'signal' | 'progress'>,
  { value, release }: { value?: unknown; release: () => void },
): Promise<void> {
  progress(value)
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  release()
}
