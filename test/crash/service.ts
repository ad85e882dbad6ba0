import { createHash } from 'node:crypto'
import { type App, openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { buildServer } from '../../src/http/server.ts'
import { prepareSpool } from '../../src/http/upload-v1/spool-folder.ts'
import type { Imaging } from '../../src/imaging/index.ts'
import { Sites } from '../../src/site/index.ts'
import type { Scene } from './scene.ts'

export interface Told {
  status: number
  /** Of a picture its hash. */
  body: string
}

/** The whole service without a network. */
export interface Service extends AsyncDisposable {
  app: App
  send(scene: Scene, body: Buffer | string): Promise<Told>
}

interface Ground {
  dataDir: string
  /** Shared by services that are opened one after the other, because a decoder takes its time to start. */
  imaging: Imaging
  /** Where uploads by URL may fetch from. */
  urlAllow: string
}

/** Opened as a server opens it. */
export async function openService({ dataDir, imaging, urlAllow }: Ground): Promise<Service> {
  await using undo = new AsyncDisposableStack()
  const settings = { SERVICE_DATA_DIR: dataDir, SERVICE_LOG_LEVEL: 'silent' }
  const config = readConfig({ ...settings, SERVICE_UPLOAD_URL_ALLOW: urlAllow }, '/')
  const opened = undo.use(await openApp(config))
  const { places, clock } = opened.control
  const sites = undo.use(new Sites({ places, imaging, clock }, 10))
  const app = { ...opened, control: { ...opened.control, sites } }
  await prepareSpool(app)
  const server = buildServer(app)
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
