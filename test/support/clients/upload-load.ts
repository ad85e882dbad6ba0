import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { ask } from '../delivered.ts'
import { type Answer, sendRequest } from '../harness.ts'
import type { ChildServer } from '../servers/child-server.ts'
import { multipartOf, picture, type TestTenant } from '../uploads.ts'

/** The response that a client got to one of its uploads. */
export interface Acknowledged {
  image: any
  sha256: string
}

interface Load {
  tenant: TestTenant
  /** Where the next upload goes. */
  server(turn: number): ChildServer
  clients: number
  /** Called with every response, for tests that wait for one. */
  seen?: { acknowledged: number; refused: number }
  /** Called before each upload. */
  isOver(): boolean
  /** What an answer other than 200 may be; every other one fails the test. */
  mayAnswer?(answer: Answer): boolean
  /** Whether a connection may break before anything was answered. */
  mayBreak?(error: NodeJS.ErrnoException): boolean
}

export interface Outcome {
  acknowledged: Acknowledged[]
  refused: Answer[]
  broken: number
}

const isAway = ({ status, headers }: Answer) => status === 503 && /^\d+$/.test(headers['retry-after'] ?? '')

let lastSeed = 0

/** Uploads one picture after the other, every one different, and keeps the list of what was acknowledged. */
export async function uploadLoad(load: Load): Promise<Outcome> {
  const { mayAnswer = isAway, mayBreak = () => false } = load
  const outcome: Outcome = { acknowledged: [], refused: [], broken: 0 }
  let turn = 0
  await Promise.all(
    Array.from({ length: load.clients }, async () => {
      while (!load.isOver()) {
        const file = await picture({ width: 24, height: 16, seed: ++lastSeed })
        const answer = await send(load.server(turn++), load.tenant, file).catch((error) => {
          assert.ok(mayBreak(error), `An upload ended without an answer: ${error}`)
          outcome.broken += 1
        })
        if (answer?.status === 200) {
          outcome.acknowledged.push({ image: answer.json.image, sha256: sha256Of(file) })
          if (load.seen) load.seen.acknowledged += 1
        } else if (answer) {
          assert.ok(mayAnswer(answer), `An upload was answered ${answer.status}: ${answer.text}`)
          outcome.refused.push(answer)
          if (load.seen) load.seen.refused += 1
        }
      }
    }),
  )
  return outcome
}

export function send(server: ChildServer, tenant: TestTenant, file: Buffer): Promise<Answer> {
  const { type, bytes } = multipartOf([{ name: 'source', value: file, fileName: 'picture.png' }])
  const headers = { host: tenant.hostname, 'x-api-key': tenant.apiKey, 'content-type': type }
  return sendRequest(server.port, 'POST', '/api/1/upload', { bytes, headers })
}

export const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Every acknowledged file is served whole by every server, versions too. */
export async function assertServed(
  servers: readonly ChildServer[],
  acknowledged: readonly Acknowledged[],
): Promise<void> {
  const left = acknowledged.entries()
  const look = async () => {
    for (const [index, { image, sha256 }] of left) {
      const server = servers[index % servers.length] as ChildServer
      const { status, bytes } = await ask(server, image.url)
      assert.deepEqual([status, sha256Of(bytes)], [200, sha256], image.url)
      assert.equal((await ask(server, image.thumb.url)).bytes.length, image.thumb.size)
    }
  }
  await Promise.all(Array.from({ length: 8 }, look))
}

/** The stats if the acknowledged uploads are stored and nothing else is. */
export function countsOf(acknowledged: readonly Acknowledged[]): { files: number; storage_used: number } {
  const bytes = acknowledged.map(({ image }) => image.size + image.thumb_size + image.medium_size)
  return { files: acknowledged.length, storage_used: bytes.reduce((sum, each) => sum + each, 0) }
}

/** No two of them are one, and none stands for another. */
export function assertNoneDoubled(acknowledged: readonly Acknowledged[]): void {
  for (const field of ['id_encoded', 'url', 'delete_url']) {
    assert.equal(new Set(acknowledged.map(({ image }) => image[field])).size, acknowledged.length, field)
  }
}
