import { setTimeout as sleep } from 'node:timers/promises'
import type { FastifyReply } from 'fastify'

/** Handlers that have not returned, with or without a caller. */
const running = new WeakMap<object, Set<Promise<unknown>>>()

export function trackWork<T>(app: object, work: Promise<T>): Promise<T> {
  const all = running.get(app) ?? new Set()
  running.set(app, all.add(work))
  const forget = () => all.delete(work)
  work.then(forget, forget)
  return work
}

/** Resolves when all handlers have returned or the time is up, so that the databases may be closed. */
export async function workEnded(app: object, mostMs: number): Promise<void> {
  const timer = new AbortController()
  const late = sleep(mostMs, undefined, { signal: timer.signal }).catch(() => undefined)
  await Promise.race([late, Promise.allSettled(running.get(app) ?? [])])
  timer.abort()
}

/** Aborts when the caller has left. Listens to the response, since listeners on a keep-alive connection would pile up. */
export function disconnectSignal(reply: FastifyReply): AbortSignal {
  const gone = new AbortController()
  if (reply.raw.closed) gone.abort()
  else reply.raw.once('close', () => gone.abort())
  return gone.signal
}
