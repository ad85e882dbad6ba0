import type { RefusalBody, UploadData, UploadedFile } from '../../../../src/common/wire.ts'
import type { Row } from './row.ts'

/** How a try to send a file has ended. */
export type Outcome =
  | { file: UploadedFile }
  | { refused: string }
  /** Another try may succeed; not before this time if the server names one. Perhaps the server makes the file by now. */
  | { again: string; afterSeconds: number; isFinishing?: true }
  | { cancelled: true }

interface Answer {
  /** 0 if there was none. */
  status: number
  text: string
  retryAfter: string | null | undefined
}

/** 409: another page sends the same row at this moment. */
const isWorthAnotherTry = (status: number) =>
  [0, 408, 409, 423, 429].includes(status) || (status >= 500 && status !== 507)

export function outcomeOf(data: UploadData, { status, text, retryAfter }: Answer): Outcome {
  const body = parsed(text)
  if (status >= 200 && status < 300 && body) return { file: body as UploadedFile }
  const reason = reasonOf(data, status, body as RefusalBody | undefined)
  if (isWorthAnotherTry(status)) return { again: reason, afterSeconds: Number(retryAfter) || 0 }
  return { refused: reason }
}

/** The server writes its reasons in the language of the page. */
function reasonOf({ words }: UploadData, status: number, body: RefusalBody | undefined): string {
  if (!body?.error) return words.noConnection
  return status === 401 ? words.loggedOut : body.error.message
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A row to send, by whichever way. */
export interface Sending {
  row: Row
  /** Undefined for a file that the server fetches. */
  bytes: Blob | undefined
  onProgress: (bytes: number) => void
  /** Where the rest is to be sent if this try fails. */
  onResumable: (address: string) => void
}

export interface Try {
  outcome: Promise<Outcome>
  cancel: () => void
}
