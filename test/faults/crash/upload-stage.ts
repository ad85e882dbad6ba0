import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startImaging } from '../../../src/imaging/index.ts'
import { createTenant, installTenant } from '../../../src/tenants/index.ts'
import type { Program } from './driver-process.ts'
import * as kills from './kills.ts'
import { type PictureServer, servePicture } from './picture-server.ts'
import type { Scene } from './scene.ts'
import { type Outcome, openService, type Service } from './service.ts'
import type { CrashPoint, Strike } from './strace.ts'
import * as sweeps from './sweep.ts'
import { type BodyName, type Hashes, makePictures, writeBodies } from './upload-fixture.ts'
import { account } from './verbs.ts'

export interface Struck extends sweeps.Struck {
  /** What was answered, as far as it got. */
  outcomes: Outcome[]
}

export interface Left extends kills.Left {
  outcomes: Outcome[]
}

/** What is done, and whether one driver does all of it. */
export type Play = Pick<sweeps.Sweep, 'verb' | 'isLasting'>

/** Where uploads are rehearsed and struck: `cats` is new, `dogs` has one file. */
export interface UploadStage extends AsyncDisposable {
  /** What may be found of a file. */
  known: readonly Hashes[]
  /** Of the file that is there from the start. */
  neighbour: Hashes
  /** With a clock that may be ahead. */
  open(folder: string, aheadMs?: number): Promise<Service>
  send(service: Service, name: string): Promise<Outcome>
  rehearse(play: Play): Promise<CrashPoint[]>
  killAtEveryStep(verb: string, check: (left: Left) => Promise<void>): Promise<{ steps: number }>
  strikeAll(play: Play, strikes: readonly Strike[], check: (struck: Struck) => Promise<void>): Promise<void>
}

export async function openUploadStage(): Promise<UploadStage> {
  await using undo = new AsyncDisposableStack()
  const root = await mkdtemp(join(tmpdir(), 'terrace-upload-crash-'))
  undo.defer(() => rm(root, { recursive: true, force: true }))
  const [fixture, start] = [join(root, 'fixture'), join(root, 'start')]
  await mkdir(fixture)
  const imaging = undo.use(startImaging({ children: 1 }))
  const hashes = await makePictures(fixture, imaging)
  const pictures = undo.use(await servePicture(() => readFile(join(fixture, 'small.jpg'))))
  const { urlAllow } = pictures
  const open = (dataDir: string, aheadMs = 0) => openService({ dataDir, imaging, urlAllow, aheadMs })
  const scenes = await setScenes(open, { start, fixture, pictures })
  const environment = { FIXTURE: fixture, URL_ALLOW: urlAllow }
  const program: Program = { driver: 'upload-driver.ts', environment }
  const sweepOf = (play: Play) => ({ ...play, program, start, root })
  const all = undo.move()
  return {
    known: Object.values(hashes),
    neighbour: hashes.plain,
    open,
    send: (service, name) => send(service, { scene: scenes[name], fixture }),
    rehearse: async (play) => (await sweeps.rehearse(sweepOf(play))).points,
    killAtEveryStep: (verb, check) =>
      kills.killAtEveryStep(sweepOf({ verb }), (left) =>
        check({ ...left, outcomes: outcomesIn(left.output) }),
      ),
    strikeAll: (play, strikes, check) =>
      sweeps.strikeAll(sweepOf(play), strikes, (struck) =>
        check({ ...struck, outcomes: outcomesIn(struck.output) }),
      ),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

type Scenes = Record<string, Scene>

interface Setting {
  start: string
  fixture: string
  pictures: PictureServer
}

/** Two tenants, one of them with a file, and the requests that are made of them. */
async function setScenes(open: UploadStage['open'], { start, fixture, pictures }: Setting): Promise<Scenes> {
  const types = await writeBodies(fixture, pictures.url)
  await using service = await open(start)
  const { control } = service.app
  const sending = (id: string, name: BodyName): Scene => {
    const headers = { host: `${id}.test`, 'x-api-key': keys[id] ?? '', 'content-type': types[name] }
    return { method: 'POST', url: '/api/1/upload', headers, body: `${name}.body` }
  }
  const keys: Record<string, string> = {}
  for (const id of ['cats', 'dogs']) {
    await createTenant(control, { id, hostname: `${id}.test`, isEnabled: true })
    keys[id] = (await installTenant(control, id, account)).apiKey
  }
  const { body } = await send(service, { scene: sending('dogs', 'multipart'), fixture })
  const { image } = JSON.parse(body)
  const headers = { host: 'dogs.test' }
  const scenes: Scenes = {
    multipart: sending('cats', 'multipart'),
    once: onceOnly(sending('cats', 'multipart')),
    base64: sending('cats', 'base64'),
    url: sending('cats', 'url'),
    removal: { method: 'DELETE', url: new URL(image.delete_url).pathname, headers },
    neighbour: { method: 'GET', url: new URL(image.url).pathname, headers },
    ready: { method: 'GET', url: '/_/health/ready', headers: { host: 'localhost' } },
    next: sending('dogs', 'base64'),
  }
  await writeFile(join(fixture, 'scenes.json'), JSON.stringify(scenes))
  return scenes
}

const onceOnly = (scene: Scene): Scene => ({
  ...scene,
  headers: { ...scene.headers, 'idempotency-key': 'one' },
})

async function send(
  service: Service,
  { scene, fixture }: { scene: Scene | undefined; fixture: string },
): Promise<Outcome> {
  if (!scene) throw new Error('There is no such scene.')
  return service.send(scene, scene.body === undefined ? '' : await readFile(join(fixture, scene.body)))
}

function outcomesIn(output: string): Outcome[] {
  return [...output.matchAll(/^(?:done|refused) (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? ''))
}
