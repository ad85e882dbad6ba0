import type { UploadData } from '../../../../src/common/wire.ts'
import { type Outcome, outcomeOf, type Sending, type Try } from './outcome.ts'
import type { Row } from './row.ts'

/** From this size on a file is sent in parts, and goes on where it stopped. */
export const largeBytes = 16_000_000
export const partBytes = 16 * 1_048_576

/** Rejects if the code that sends in parts cannot be loaded. */
export async function send(data: UploadData, sending: Sending): Promise<Try> {
  const { bytes, row } = sending
  if (data.resumesAt === null || !bytes || bytes.size <= largeBytes) return sendWhole(data, sending)
  const { resume } = await import('./resume.ts')
  const { Accept: _, ...headers } = headersOf(data, row)
  return resume(data, { ...sending, bytes, headers, partBytes, read: (answer) => outcomeOf(data, answer) })
}

/** The file as the body of one request, or the form with its address. */
function sendWhole(data: UploadData, { row, bytes, onProgress }: Sending): Try {
  const request = new XMLHttpRequest()
  const parameters = new URLSearchParams(row.options)
  if (bytes) parameters.set('filename', row.name.toWellFormed())
  else parameters.set('source', row.url ?? '')
  request.open('POST', bytes ? `${data.sendsAt}?${parameters}` : data.sendsAt)
  for (const [name, value] of Object.entries(headersOf(data, row))) request.setRequestHeader(name, value)
  request.setRequestHeader(
    'Content-Type',
    bytes ? 'application/octet-stream' : 'application/x-www-form-urlencoded',
  )
  const outcome = new Promise<Outcome>((resolve) => {
    request.upload.onprogress = ({ loaded }) => onProgress(loaded)
    request.onabort = () => resolve({ cancelled: true })
    request.onload = request.onerror = () => {
      const { status, responseText: text } = request
      resolve(outcomeOf(data, { status, text, retryAfter: request.getResponseHeader('Retry-After') }))
    }
  })
  request.send(bytes ?? parameters.toString())
  return { outcome, cancel: () => request.abort() }
}

/** `X-Terrace-User` refuses rows of a person whose session has ended meanwhile. */
export const headersOf = ({ csrf, owner }: UploadData, { id }: Pick<Row, 'id'>): Record<string, string> => ({
  Accept: 'application/json',
  'Idempotency-Key': id,
  'X-Terrace-Page': '1',
  'X-Terrace-User': owner,
  ...(csrf !== null && { 'X-CSRF-Token': csrf }),
})
