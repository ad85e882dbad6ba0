// Opens the app on a data folder and sends one call about a file through the whole service, without a network.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startImaging } from '../../../src/imaging/index.ts'
import { playRounds, say } from './rounds.ts'
import type { Scene } from './scene.ts'
import { openService } from './service.ts'

export interface FileScene {
  key: string
  id: string
  host: string
  /** For `collect`: where a visitor sends a file, and the type of the form in `form.bin`. */
  collection?: { path: string; type: string }
}

const calls: Readonly<Record<string, { method: Scene['method']; path: string; body?: string }>> = {
  replace: { method: 'PUT', path: '/content' },
  revert: { method: 'POST', path: '/revert', body: '{"revision":1}' },
  trash: { method: 'DELETE', path: '' },
  restore: { method: 'POST', path: '/restore' },
  purge: { method: 'DELETE', path: '?permanent=true' },
}

const { FIXTURE: fixture = '' } = process.env
const scene = JSON.parse(readFileSync(join(fixture, 'scene.json'), 'utf8')) as FileScene
// Below the fixture, so that the folders of killed drivers go with it.
await using imaging = startImaging({ children: 1, folder: join(fixture, 'decoders') })

await playRounds(async ({ verb, folder }) => {
  const service = await openService({ dataDir: folder, imaging, urlAllow: '' })
  const { method, url, payload, headers } = verb === 'collect' ? collecting() : changing(verb)
  // Loads what is loaded late.
  await service.send({ method: 'GET', url: '/_/health/live', headers: { host: 'localhost' } }, '')
  return {
    async perform() {
      const outcome = await service.send({ method, url, headers }, payload)
      say(`${outcome.status < 300 ? 'done' : 'refused'} ${JSON.stringify(outcome)}`)
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
})

function changing(verb: string) {
  const { method, path, body } = calls[verb] ?? { method: 'GET' as const, path: '' }
  const payload = verb === 'replace' ? readFileSync(join(fixture, 'next.png')) : (body ?? '')
  const type = verb === 'replace' ? 'image/png' : 'application/json'
  const headers = {
    host: scene.host,
    'x-api-key': scene.key,
    ...(payload.length > 0 && { 'content-type': type, 'content-length': String(payload.length) }),
  }
  return { method, url: `/api/5/files/${scene.id}${path}`, payload, headers }
}

/** A visitor's upload to a share: without a key, with an Idempotency-Key. */
function collecting() {
  const { path = '', type = '' } = scene.collection ?? {}
  const payload = readFileSync(join(fixture, 'form.bin'))
  const length = String(payload.length)
  const headers = {
    host: scene.host,
    'content-type': type,
    'content-length': length,
    'idempotency-key': 'one',
  }
  return { method: 'POST' as const, url: path, payload, headers }
}
