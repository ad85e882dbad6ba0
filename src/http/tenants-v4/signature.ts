import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { App } from '../../app.ts'
import { badKey, takeNonce } from '../../control/index.ts'
import { parseWholeNumber } from '../../lib/sizes.ts'

const clockToleranceSeconds = 300

/** Refuses what was not signed with our secret, byte for byte. */
export async function checkSignature(app: App, request: IncomingMessage, body: Uint8Array): Promise<void> {
  const version = request.headers['x-signature-version'] ?? '1'
  if (version === '2') return checkSecondScheme(app, request, body)
  if (version !== '1' || app.config.isV2Required) throw badKey()
  if (!isSignatureOf(app.requestSecret, body, request.headers['x-signature'])) throw badKey()
}

/** Signs the time, a nonce and the target too, so that a request heard by another cannot be sent again. */
async function checkSecondScheme(app: App, request: IncomingMessage, body: Uint8Array): Promise<void> {
  const timestamp = parseWholeNumber(String(request.headers['x-timestamp']))
  const nonce = String(request.headers['x-nonce'])
  if (timestamp === undefined || !/^[\x21-\x7e]{8,128}$/.test(nonce)) throw badKey()
  const now = app.control.clock.now().getTime() / 1_000
  if (Math.abs(now - timestamp) > clockToleranceSeconds) throw badKey()

  const signed = ['v2', timestamp, nonce, request.method, request.url, hash('sha256', body)].join('\n')
  if (!isSignatureOf(app.requestSecret, signed, request.headers['x-signature'])) throw badKey()
  await takeNonce(app.control, nonce)
}

function isSignatureOf(secret: string, text: Uint8Array | string, signature: string | string[] | undefined): boolean {
  if (typeof signature !== 'string' || !/^[0-9a-fA-F]{64}$/.test(signature)) return false
  return timingSafeEqual(createHmac('sha256', secret).update(text).digest(), Buffer.from(signature, 'hex'))
}
