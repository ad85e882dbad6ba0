import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { App } from '../app.ts'
import type { FoundBytes } from '../media/index.ts'
import type { Site } from '../site/index.ts'
import type { FileResponse } from './file-response.ts'

/** Counts bytes of a file that were sent. */
export type CountSent = (bytes: number) => void

/** Counts the answer to a GET for a file in the usage of the site and of the owner. Variants are traffic, but no downloads. */
export function countDownload(
  { control: { pendingStats } }: App,
  { number }: Site,
  { file, isOriginal }: FoundBytes,
  { range }: FileResponse,
): CountSent {
  const { userId } = file
  if (isOriginal && (range === undefined || range.start === 0))
    pendingStats.add(number, userId, { downloads: 1 })
  return (bytes) => {
    if (bytes > 0) pendingStats.add(number, userId, { trafficBytes: bytes })
  }
}

/** Counts the bytes of a response that was written at once, as far as they have left the process. */
export function countWhenSent(response: ServerResponse, bytes: number, count: CountSent): void {
  const { socket } = response
  response.once('close', () => count(sentOf(response, socket, bytes)))
}

/** How many of the bytes have left the process, of a response that has closed. The socket is the one that it had before. */
export function sentOf(response: ServerResponse, socket: Socket | null, bytes: number): number {
  const unsent = response.writableFinished ? 0 : Math.min(bytes, socket?.writableLength ?? bytes)
  return bytes - unsent
}

/** How many bytes of the file the response has. */
export const lengthOf = ({ sizeBytes }: FoundBytes, { range }: FileResponse): number =>
  range ? range.end - range.start + 1 : sizeBytes
