import { type DetailedError, Upload } from 'tus-js-client'
import type { UploadData } from '../../../../src/common/wire.ts'
import type { Outcome, outcomeOf, Sending, Try } from './outcome.ts'

interface Resuming extends Sending {
  bytes: Blob
  headers: Record<string, string>
  partBytes: number
  /** Given by the queue, so that it need not be loaded in pieces. */
  read: Read
}

type Read = (answer: Parameters<typeof outcomeOf>[1]) => Outcome

/** Sends a large file in parts. Loaded with the first one: the client is larger than the rest of the queue. */
export function resume(data: UploadData, sending: Resuming): Try {
  const { row, bytes, headers, partBytes, read, onProgress, onResumable } = sending
  const { promise: outcome, resolve } = Promise.withResolvers<Outcome>()
  let isFinishing = false
  const finishing: Outcome = { again: data.words.finishing, afterSeconds: 1, isFinishing: true }
  const upload = new Upload(bytes as File, {
    endpoint: new URL(data.resumesAt ?? '', location.href).href,
    ...(row.resumeAt !== undefined && { uploadUrl: row.resumeAt }),
    chunkSize: partBytes,
    retryDelays: null,
    storeFingerprintForResuming: false,
    headers,
    metadata: { ...row.options, filename: row.name.toWellFormed() },
    onProgress,
    onUploadUrlAvailable: () => onResumable(upload.url ?? ''),
    // The last bytes are there and the server makes the file: to send them again would only be refused.
    onAfterResponse: (request, response) => {
      isFinishing = request.getMethod() === 'HEAD' && Boolean(response.getHeader('Retry-After'))
      if (isFinishing) throw new Error(data.words.finishing)
    },
    onError: (error) => resolve(isFinishing ? finishing : failureOf(error, read)),
    onSuccess: () => resolve(storedFile(data, upload.url ?? '', read)),
  })
  upload.start()
  const cancel = () => {
    resolve({ cancelled: true })
    // The server frees its room; if it cannot be reached, the upload expires there.
    upload.abort(true).catch(() => undefined)
  }
  return { outcome, cancel }
}

function failureOf(error: Error | DetailedError, read: Read): Outcome {
  const response = 'originalResponse' in error ? error.originalResponse : null
  return read({
    status: response?.getStatus() ?? 0,
    text: response?.getBody() ?? '',
    retryAfter: response?.getHeader('Retry-After'),
  })
}

/** Asks what has become of the upload, also if its last part was stored before the connection was lost. */
async function storedFile({ words }: UploadData, address: string, read: Read): Promise<Outcome> {
  const headers = { Accept: 'application/json', 'X-Terrace-Page': '1' }
  try {
    const answer = await fetch(address, { headers })
    return read({ status: answer.status, text: await answer.text(), retryAfter: null })
  } catch {
    return { again: words.noConnection, afterSeconds: 0 }
  }
}
