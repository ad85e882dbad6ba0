import type { FastifyReply } from 'fastify'
import type { App } from '../../app.ts'
import type { Config } from '../../config.ts'
import { addressKey } from '../../lib/net/addresses.ts'
import { type SlotPool, type SlotPools, shareSlotPools } from '../../lib/processes/shared-slots.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { Storage } from '../../storage/index.ts'
import { silentMsOf } from './progress.ts'

/** Each reader has an open file and a buffer. */
const mostDiskReaders = 1_000
const waitMs = 10_000
/** When all slots are taken, a reader that is silent for this long loses its slot. */
const silentMs = 30_000

const poolsOf = new WeakMap<App, SlotPools>()

/** The sites in one bucket share its connections; all files on disk share one limit. */
export function shareReaderSlots(app: App): SlotPools {
  const { readersPerAddress } = app.config.connections
  // At least three addresses are needed to take all slots.
  const limitsOf = ({ most }: SlotPool) => ({
    most,
    mostPerKey: Math.min(readersPerAddress, Math.ceil(most / 3)),
    waitMs,
    silentMs,
  })
  const pools = shareSlotPools(app.processes, 'reader-slot', limitsOf)
  poolsOf.set(app, pools)
  return pools
}

/**
 * Waits for a slot for a response that the client may read slowly, and keeps the slot until the response is sent.
 * Returns how many slots are taken.
 */
export async function takeReaderSlot(app: App, storage: Storage, reply: FastifyReply): Promise<number> {
  const { socket } = reply.request.raw
  const pool = storage.readers ?? { name: 'disk', most: mostDiskReaders }
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
  const pools = poolsOf.get(app) ?? shareReaderSlots(app)
  const taken = await pools.take(pool, key, holder, gone.signal)
  if (taken === undefined) throw tooManyReaders()
  if (socket.destroyed) gone.abort()
  return taken
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
