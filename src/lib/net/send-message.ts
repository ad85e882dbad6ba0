import type { IncomingMessage } from 'node:http'
import { sendGuarded } from './guarded-request.ts'
import type { ResolveName } from './name-resolver.ts'
import { type WebhookMessage, webhookHeaders } from './standard-webhooks.ts'
import type { UrlAllowList } from './url-allow.ts'
import { addressesOf, readTarget } from './url-guard.ts'

export interface MessageEndpoint {
  url: string
  secrets: readonly Uint8Array[]
  allow: UrlAllowList
  resolve: ResolveName
  /** Of the whole attempt. */
  timeoutMs: number
}

type AttemptFault = 'timeout' | 'dns' | 'tls' | 'connection'

/** What came of one attempt to deliver a message. */
export interface Attempt {
  /** The status decides. A redirect is none: a signed body goes where it was meant to go, and nowhere else. */
  isSuccess: boolean
  /** Undefined without an answer. */
  status: number | undefined
  fault: AttemptFault | undefined
  /** For logs; never the body, the secret or the path of the URL. */
  reason: string
  elapsedMs: number
  /** The first kilobyte of the answer. */
  response: string
}

const mostResponseBytes = 1_024
/** Headers included. */
const mostWireBytes = 65_536

/** One attempt. It never rejects: what went wrong is in its result. */
export async function sendMessage(
  endpoint: MessageEndpoint,
  message: WebhookMessage,
  { at, signal }: { at: Date; signal: AbortSignal },
): Promise<Attempt> {
  const startedAt = performance.now()
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(new Error('No answer in time.')), endpoint.timeoutMs)
  const stop = AbortSignal.any([late.signal, signal])
  const elapsedMs = () => Math.round(performance.now() - startedAt)
  try {
    const answer = await post(endpoint, message, { at, signal: stop })
    const status = answer.statusCode ?? 0
    const response = await firstBytes(answer)
    const isSuccess = status >= 200 && status < 300
    return {
      isSuccess,
      status,
      fault: undefined,
      reason: `status ${status}`,
      elapsedMs: elapsedMs(),
      response,
    }
  } catch (error) {
    const fault = late.signal.aborted ? 'timeout' : faultOf(error)
    const reason = fault === 'timeout' ? fault : `${fault}: ${reasonOf(error)}`
    return { isSuccess: false, status: undefined, fault, reason, elapsedMs: elapsedMs(), response: '' }
  } finally {
    clearTimeout(timer)
    // Ends the connection if it is still open.
    late.abort()
  }
}

class LookUpFailed extends Error {}

async function post(
  { url, secrets, allow, resolve, timeoutMs }: MessageEndpoint,
  message: WebhookMessage,
  { at, signal }: { at: Date; signal: AbortSignal },
): Promise<IncomingMessage> {
  const target = readTarget(url, allow)
  const addresses = await addressesOf(target, { allow, resolve, signal, timeMs: timeoutMs }).catch(
    (cause) => {
      throw new LookUpFailed(reasonOf(cause), { cause })
    },
  )
  return sendGuarded(target, {
    addresses,
    allow,
    times: { connectMs: timeoutMs, idleMs: timeoutMs },
    signal,
    mostWireBytes,
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(message.body)),
      ...webhookHeaders(message, { at, secrets }),
    },
    body: message.body,
  })
}

/** A body that is cut off, or comes too slowly, changes nothing: the status has been read. */
async function firstBytes(answer: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      chunks.push(chunk)
      bytes += chunk.length
      if (bytes >= mostResponseBytes) break
    }
  } catch {}
  return Buffer.concat(chunks).subarray(0, mostResponseBytes).toString()
}

function faultOf(error: unknown): AttemptFault {
  if (error instanceof LookUpFailed) return 'dns'
  const code = String((error as NodeJS.ErrnoException).code ?? '')
  return /TLS|SSL|CERT|SIGNATURE/.test(code) ? 'tls' : 'connection'
}

function reasonOf(error: unknown): string {
  const { message, code } = error as NodeJS.ErrnoException
  return (message || code || 'unknown').slice(0, 200)
}
