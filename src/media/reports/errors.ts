import { Refusal } from '../../lib/refusal.ts'

export const ownFileReported = () =>
  new Refusal('forbidden', 'own-file', 'This file is your own. Delete it instead of reporting it.')

export const alreadyReported = () =>
  new Refusal(
    'conflict',
    'already-reported',
    'You, or another visitor at your address, have reported this file already.',
  )

export const notReported = (id: string) =>
  new Refusal('conflict', 'not-reported', `The file "${id}" has no open report.`)

export const tooManyReports = (most: number, retryAfterSeconds: number) =>
  new Refusal(
    'too-many',
    'too-many-reports',
    `An address can report ${most} files an hour. Try again in ${Math.ceil(retryAfterSeconds / 60)} minutes.`,
    { retryAfterSeconds },
  )
