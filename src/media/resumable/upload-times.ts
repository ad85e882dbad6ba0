const hourMs = 3_600_000

/** After the last byte, and after the end of an upload. */
const keptMs = 24 * hourMs
const longestMs = 7 * 24 * hourMs

/** When an open upload ends if no more bytes come. */
export const expiresAfterBytes = (createdAt: Date, now: Date): Date =>
  new Date(Math.min(now.getTime() + keptMs, createdAt.getTime() + longestMs))

/** Until when the answer of an upload that is over can be asked for. */
export const forgottenAt = (now: Date): Date => new Date(now.getTime() + keptMs)

/** How long an upload counts as being received if the server that receives its bytes is silent. */
const receivingMs = 30_000

export const receivingRenewalMs = 10_000

export const receivingUntil = (now: Date): Date => new Date(now.getTime() + receivingMs)

/**
 * How long a server may be silent while it makes the file. After a kill the client is refused for so long, and tus-js-client gives
 * up after 9 seconds. If the lease of a server ends while it lives, its token keeps it from storing a second file.
 */
const leaseMs = 6_000

export const renewalMs = 2_000

export const leaseFrom = (now: Date): Date => new Date(now.getTime() + leaseMs)
