import { type App, openApp } from '../../src/app.ts'
import { readConfig } from '../../src/config.ts'
import { buildServer } from '../../src/http/server.ts'
import { prepareSpool } from '../../src/http/upload-v1/spool-folder.ts'
import { Sites } from '../../src/site/index.ts'
import { openCannedImaging, sha256Of } from './canned-imaging.ts'
import type { Scene } from './scene.ts'

export interface Told {
  status: number
  /** Of a picture its hash. */
  body: string
}

/** The whole service without a network and without decoders. */
export interface CannedApp extends AsyncDisposable {
  app: App
  send(scene: Scene, body: Buffer | string): Promise<Told>
}

/** Opened as a server opens it. */
export async function openCannedApp(dataDir: string, fixture: string): Promise<CannedApp> {
  await using undo = new AsyncDisposableStack()
  const config = readConfig({ SERVICE_DATA_DIR: dataDir, SERVICE_LOG_LEVEL: 'silent' }, '/')
  const opened = undo.use(await openApp(config))
  const { store, clock } = opened.control
  const imaging = await openCannedImaging(fixture)
  const sites = undo.use(new Sites({ store, storage: opened.storage, imaging, clock }, 10))
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
