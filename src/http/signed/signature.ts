import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { App } from '../../app.ts'
import { badKey, takeNonce } from '../../control/index.ts'
import { parseWholeNumber } from '../../lib/sizes.ts'

const clockToleranceSeconds = 300

/** Visible ASCII. */
export const nonceForm = /^[!-~]{8,128}$/

/** Refuses a request whose signature does not match its raw body. */
export function signatureCheck(app: App): (request: IncomingMessage, body: Uint8Array) => Promise<void> {
  // Most calls have no body, and all of these have one signature.
  const ofNothing = hmac(app.requestSecret, '')
  return async (request, body) => {
    const version = request.headers['x-signature-version'] ?? '1'
    if (version === '2') return checkSecondScheme(app, request, body)
    if (version !== '1' || app.config.isV2Required) throw badKey()
    const expected = body.length === 0 ? ofNothing : hmac(app.requestSecret, body)
    if (!isSame(expected, request.headers['x-signature'])) throw badKey()
  }
}

/** Signs the time, a nonce and the target too, so that a captured request cannot be replayed. */
async function checkSecondScheme(app: App, request: IncomingMessage, body: Uint8Array): Promise<void> {
  const timestamp = parseWholeNumber(String(request.headers['x-timestamp']))
  const nonce = String(request.headers['x-nonce'])
  if (timestamp === undefined || !nonceForm.test(nonce)) throw badKey()
  const now = Math.floor(app.control.clock.now().getTime() / 1_000)
  if (Math.abs(now - timestamp) > clockToleranceSeconds) throw badKey()

  const signed = ['v2', timestamp, nonce, request.method, request.url, hash('sha256', body)].join('\n')
  if (!isSame(hmac(app.requestSecret, signed), request.headers['x-signature'])) throw badKey()
  await takeNonce(app.control, nonce)
}

const hmac = (secret: string, text: Uint8Array | string) => createHmac('sha256', secret).update(text).digest()

function isSame(expected: Buffer, signature: string | string[] | undefined): boolean {
  if (typeof signature !== 'string' || !/^[0-9a-fA-F]{64}$/.test(signature)) return false
  return timingSafeEqual(expected, Buffer.from(signature, 'hex'))
}
