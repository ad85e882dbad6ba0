import type { FastifyReply } from 'fastify'
import type { App } from '../../app.ts'
import type { Config } from '../../config.ts'
import { Slots } from '../../lib/concurrency/slots.ts'
import { addressKey } from '../../lib/net/addresses.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Storage } from '../../storage/index.ts'
import { silentMsOf } from './progress.ts'

/** Each reader has an open file and a buffer. */
const mostDiskReaders = 1_000
const waitMs = 10_000
/** When all slots are taken, a reader that is silent for this long loses its slot. */
const silentMs = 30_000

const slotsOf = new WeakMap<object, Slots>()

/** The sites in one bucket share its connections; all files on disk share one limit. */
function readerSlots({ config, processes }: App, shared: object, most: number): Slots {
  const known = slotsOf.get(shared)
  if (known) return known
  // At least three addresses are needed to take all slots.
  const perAddress = Math.ceil(config.connections.readersPerAddress / processes.count)
  const mostPerKey = Math.min(perAddress, Math.ceil(most / 3))
  const slots = new Slots({ most, mostPerKey, waitMs, silentMs })
  slotsOf.set(shared, slots)
  return slots
}

/**
 * Waits for a slot for a response that the client may read slowly, and keeps the slot until the response is sent.
 * Returns how many slots are taken.
 */
export async function takeReaderSlot(app: App, storage: Storage, reply: FastifyReply): Promise<number> {
  const { socket } = reply.request.raw
  const slots = readerSlots(app, storage.readers ?? app, storage.readers?.most ?? mostDiskReaders)
  const gone = new AbortController()
  const onClose = () => gone.abort()
  reply.raw.once('close', onClose)
  // A pipelined response that waits for an earlier one gets no close event when the connection ends.
  if (!reply.raw.socket) {
    socket.once('close', onClose)
    gone.signal.addEventListener('abort', () => socket.off('close', onClose))
  }
  const holder = { silentMs: () => silentMsOf(socket), end: () => socket.destroy() }
  const key = boundKeyOf(app.config, reply.request.client.address)
  const release = await slots.take(key, holder, gone.signal)
  if (!release) throw tooManyReaders()
  if (gone.signal.aborted || socket.destroyed) release()
  else gone.signal.addEventListener('abort', release)
  return slots.heldCount
}

const tooManyReaders = () =>
  new Refusal('unavailable', 'too-many-readers', 'Too many files are being read at once. Try again shortly.')

/**
 * The key by which the limits of one caller are counted. Undefined for a trusted proxy that does not name the client,
 * because all clients are behind it.
 */
export function boundKeyOf({ trustedProxies }: Config, address: string): string | undefined {
  return address === '' || trustedProxies.has(address) ? undefined : addressKey(address)
}
