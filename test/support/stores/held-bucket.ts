import { startS3Stub } from './storage-s3-stub.ts'

export type HeldBucket = Awaited<ReturnType<typeof heldBucket>>

/** A bucket that keeps every put waiting behind the first ones: a move to it is seen half-way. */
export async function heldBucket(first: number) {
  const stub = await startS3Stub()
  const gate = Promise.withResolvers<void>()
  let puts = 0
  stub.setFault(async ({ action }) => {
    if (action === 'put' && ++puts > first) await gate.promise
    return undefined
  })
  return {
    url: stub.url,
    objects: stub.objects,
    /** Whether a put waits. */
    isHolding: () => puts > first,
    release: () => gate.resolve(),
    async [Symbol.asyncDispose]() {
      gate.resolve()
      await stub[Symbol.asyncDispose]()
    },
  }
}
