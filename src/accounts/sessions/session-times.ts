import { isRecent } from '../../lib/clock.ts'

const hourMs = 3_600_000
const shortMs = 12 * hourMs
const lastingMs = 30 * 24 * hourMs
export const longestMs = 180 * 24 * hourMs
const proofMs = 600_000

/** A session lasts from its last use, but not for ever: a stolen cookie that is used each day must end too. */
export function endOfSession(
  { isLasting, createdAt }: { isLasting: boolean; createdAt: Date },
  usedAt: Date,
): Date {
  const end = usedAt.getTime() + (isLasting ? lastingMs : shortMs)
  return new Date(Math.min(end, createdAt.getTime() + longestMs))
}

/** Whether the password was proven a short while ago. */
export const isProofRecent = (provenAt: Date | undefined, now: Date): boolean =>
  provenAt !== undefined && isRecent(provenAt.getTime(), proofMs, now)
