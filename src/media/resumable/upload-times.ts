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
 * How long a server may be silent while it makes the file; then another request takes the upload over. If the server lives after
 * all, its token keeps it from storing a second file.
 */
export const leaseMs = 3_000

export const renewalMs = 750

export const leaseFrom = (now: Date): Date => new Date(now.getTime() + leaseMs)

/** How long a request waits for a server that makes the file. Longer than a lease: one try of a client outlasts a dead server. */
export const finishPatienceMs = 5_000

export const finishPauseMs = 200
