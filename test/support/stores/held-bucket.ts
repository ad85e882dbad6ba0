import { startS3Stub } from './storage-s3-stub.ts'

export type HeldBucket = Awaited<ReturnType<typeof heldBucket>>

/** A bucket that keeps every put waiting behind the first ones: a move to it is seen half-way. */
export async function heldBucket(first: number) {
  const stub = await startS3Stub()
  let gate = Promise.withResolvers<void>()
  let [puts, most] = [0, first]
  stub.setFault(async ({ action }) => {
    if (action === 'put' && ++puts > most) await gate.promise
    return undefined
  })
  return {
    url: stub.url,
    objects: stub.objects,
    /** Whether a put waits. */
    isHolding: () => puts > most,
    release() {
      most = Number.POSITIVE_INFINITY
      gate.resolve()
    },
    /** Again, behind so many puts from now on. */
    hold(next: number) {
      gate = Promise.withResolvers()
      ;[puts, most] = [0, next]
    },
    async [Symbol.asyncDispose]() {
      gate.resolve()
      await stub[Symbol.asyncDispose]()
    },
  }
}
