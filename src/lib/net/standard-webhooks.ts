import { createHmac } from 'node:crypto'

/** A message by the rules of Standard Webhooks (standardwebhooks.com). */
export interface WebhookMessage {
  /** The same in each attempt, so that the receiver can recognise a repetition. */
  id: string
  body: string
}

/** Each secret makes a signature of its own: a receiver may still have the secret before. `at` is the time of the attempt. */
export function webhookHeaders(
  { id, body }: WebhookMessage,
  { at, secrets }: { at: Date; secrets: readonly Uint8Array[] },
): Record<string, string> {
  const timestamp = String(Math.floor(at.getTime() / 1_000))
  const signed = `${id}.${timestamp}.${body}`
  const signatureBy = (secret: Uint8Array) =>
    `v1,${createHmac('sha256', secret).update(signed).digest('base64')}`
  return {
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map(signatureBy).join(' '),
  }
}
