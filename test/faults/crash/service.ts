import { createHash } from 'node:crypto'
import { type App, openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { doors } from '../../../src/doors.ts'
import { buildServer } from '../../../src/http/server.ts'
import { prepareSpool } from '../../../src/http/uploads/source/spool.ts'
import type { Imaging } from '../../../src/imaging/index.ts'
import type { Scene } from './scene.ts'

export interface Outcome {
  status: number
  /** Of a picture its hash. */
  body: string
}

/** The whole service without a network. */
export interface Service extends AsyncDisposable {
  app: App
  send(scene: Scene, body: Buffer | string): Promise<Outcome>
}

interface Ground {
  dataDir: string
  /** Shared by services that are opened one after the other, because a decoder takes its time to start. */
  imaging: Imaging
  /** Where uploads by URL may fetch from. */
  urlAllow: string
  /** How far its clock is ahead. */
  aheadMs?: number
}

/** Opened as a server opens it. */
export async function openService({ dataDir, imaging, urlAllow, aheadMs = 0 }: Ground): Promise<Service> {
  await using undo = new AsyncDisposableStack()
  // No videos here: without ffmpeg the doctor does not start a process to ask for its version.
  const settings = { SERVICE_DATA_DIR: dataDir, SERVICE_LOG_LEVEL: 'silent', FFMPEG_PATH: 'none' }
  const config = readConfig({ ...settings, SERVICE_UPLOAD_URL_ALLOW: urlAllow }, '/')
  const ahead = { now: () => new Date(Date.now() + aheadMs) }
  const app = undo.use(await openApp(config, ahead, { imaging }))
  await prepareSpool(app)
  const server = buildServer(app, doors)
  undo.defer(() => server.close())
  const all = undo.move()
  return {
    app,
    async send({ method, url, headers }, payload) {
      const answer = await server.inject({ method, url, headers, payload })
      const isPicture = String(answer.headers['content-type']).startsWith('image/')
      return { status: answer.statusCode, body: isPicture ? sha256Of(answer.rawPayload) : answer.body }
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

export const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')
