import assert from 'node:assert/strict'
import { webcrypto } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { freePort } from '../harness.ts'
import { until } from '../until.ts'

export interface SentPurge {
  id: string
  /** Of the attempt, in seconds. */
  at: number
  type: string
  tenant: string
  hostname: string
  timestamp: string
  urls: string[]
  tags: string[]
}

/** How the endpoint answers a purge: by a status, or as the function does, which may never end. */
type Answering = number | ((response: ServerResponse) => void)

export interface PurgeEndpoint extends AsyncDisposable {
  environment: { SERVICE_PURGE_URL: string; SERVICE_PURGE_SECRET: string }
  /** All attempts whose signature was right. */
  attempts: SentPurge[]
  answering: Answering
  /** Waits until there are so many attempts in all, and returns those after the ones that were there. */
  next(count?: number): Promise<SentPurge[]>
}

/** A receiver of purges: a real server that verifies every signature with WebCrypto. */
export async function startPurgeEndpoint(path = '/purge?token=canary-of-the-url'): Promise<PurgeEndpoint> {
  const secret = webcrypto.getRandomValues(new Uint8Array(32))
  const key = await webcrypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, [
    'verify',
  ])
  const faults: string[] = []
  let seen = 0
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const { 'webhook-id': id, 'webhook-timestamp': at, 'webhook-signature': signature } = request.headers
    const [version, text = ''] = String(signature).split(',')
    const signed = new TextEncoder().encode(`${id}.${at}.${body}`)
    const isRight = await webcrypto.subtle.verify('HMAC', key, Buffer.from(text, 'base64'), signed)
    if (!isRight || version !== 'v1' || request.method !== 'POST' || request.url !== path)
      faults.push(`${request.method} ${request.url} ${signature}`)
    endpoint.attempts.push({ id: String(id), at: Number(at), ...JSON.parse(body) })
    const { answering } = endpoint
    if (typeof answering === 'number') response.writeHead(answering).end()
    else answering(response)
  })
  server.listen(await freePort(), '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const endpoint: PurgeEndpoint = {
    environment: {
      SERVICE_PURGE_URL: `http://127.0.0.1:${port}${path}`,
      SERVICE_PURGE_SECRET: `whsec_${Buffer.from(secret).toString('base64')}`,
    },
    attempts: [],
    answering: 204,
    async next(count = 1) {
      await until(() => endpoint.attempts.length >= seen + count, `${count} more purges`)
      assert.deepEqual(faults, [])
      const sent = endpoint.attempts.slice(seen)
      seen = endpoint.attempts.length
      return sent
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
      assert.deepEqual(faults, [])
    },
  }
  return endpoint
}
