import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createTenant, installTenant } from '../../src/tenants/index.ts'
import { type CannedApp, openCannedApp, type Told } from './canned-app.ts'
import type { Scene } from './scene.ts'
import { type CrashPoint, recordCalls, strikeAt } from './strace.ts'
import { type Hashes, makePictures, writeBodies } from './upload-fixture.ts'
import { account } from './verbs.ts'

export interface Struck {
  point: CrashPoint
  folder: string
  isKilled: boolean
  /** What was answered, as far as it got. */
  told: Told[]
  output: string
}

/** Where uploads are rehearsed and struck: `cats` is new, `dogs` has one file. */
export interface UploadStage extends AsyncDisposable {
  hashes: Record<'plain' | 'located', Hashes>
  open(folder: string): Promise<CannedApp>
  play(canned: CannedApp, name: string): Promise<Told>
  rehearse(verb: string): Promise<CrashPoint[]>
  /** Does the verb from the start again and again; at each point once something befalls it. */
  strikeAll(
    verb: string,
    strikes: readonly { point: CrashPoint; fate: string }[],
    check: (struck: Struck) => Promise<void>,
  ): Promise<void>
}

/** Two at a time. Their names weigh the same, so that their files fall to the same threads. */
const slots = ['slot-a', 'slot-c']

export async function openUploadStage(): Promise<UploadStage> {
  await using undo = new AsyncDisposableStack()
  const root = await mkdtemp(join(tmpdir(), 'terrace-upload-crash-'))
  undo.defer(() => rm(root, { recursive: true, force: true }))
  const [fixture, start, cache] = ['fixture', 'start', 'cache'].map((name) => join(root, name)) as Three
  const folderOf = (slot: string) => join(root, slot, 'data')
  const runOf = (verb: string, folder: string) => ({
    ...{ verb, folder, cache, driver: 'upload-driver.ts', environment: { FIXTURE: fixture } },
  })
  await mkdir(fixture)
  const hashes = await makePictures(fixture)
  const scenes = await setScenes(start, fixture)
  const all = undo.move()
  return {
    hashes,
    open: (folder) => openCannedApp(folder, fixture),
    play: (canned, name) => play(canned, scenes, fixture, name),
    async rehearse(verb) {
      const folder = folderOf('slot-a')
      await freshCopy(start, folder)
      return recordCalls(runOf(verb, folder))
    },
    async strikeAll(verb, strikes, check) {
      const left = [...strikes]
      const work = async (folder: string) => {
        for (let strike = left.shift(); strike; strike = left.shift()) {
          const { point, fate } = strike
          try {
            await freshCopy(start, folder)
            const { isKilled, output } = await strikeAt(point, fate, runOf(verb, folder))
            await check({ point, folder, isKilled, told: toldIn(output), output })
          } catch (error) {
            left.length = 0
            throw new Error(`${verb}, struck with ${fate} at ${point.text}`, { cause: error })
          }
        }
      }
      const ends = await Promise.allSettled(slots.map(folderOf).map(work))
      for (const end of ends) if (end.status === 'rejected') throw end.reason
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}

type Three = [string, string, string]
type Scenes = Record<string, Scene>

/** Two tenants, one of them with a file, and the requests that are made of them. */
async function setScenes(start: string, fixture: string): Promise<Scenes> {
  const types = await writeBodies(fixture)
  await using canned = await openCannedApp(start, fixture)
  const { control } = canned.app
  const sending = async (id: string, name: 'multipart' | 'base64'): Promise<Scene> => {
    const headers = { host: `${id}.test`, 'x-api-key': keys[id] ?? '', 'content-type': types[name] }
    return { method: 'POST', url: '/api/1/upload', headers, body: `${name}.body` }
  }
  const keys: Record<string, string> = {}
  for (const id of ['cats', 'dogs']) {
    await createTenant(control, { id, hostname: `${id}.test`, isEnabled: true })
    keys[id] = (await installTenant(control, id, account)).apiKey
  }
  const first = await sending('dogs', 'multipart')
  const { body } = await play(canned, { first }, fixture, 'first')
  const { image } = JSON.parse(body)
  const headers = { host: 'dogs.test' }
  const scenes: Scenes = {
    multipart: await sending('cats', 'multipart'),
    base64: await sending('cats', 'base64'),
    removal: { method: 'DELETE', url: new URL(image.delete_url).pathname, headers },
    neighbour: { method: 'GET', url: new URL(image.url).pathname, headers },
    ready: { method: 'GET', url: '/_/health/ready', headers: { host: 'localhost' } },
    next: await sending('dogs', 'base64'),
  }
  await writeFile(join(fixture, 'scenes.json'), JSON.stringify(scenes))
  return scenes
}

async function play(canned: CannedApp, scenes: Scenes, fixture: string, name: string): Promise<Told> {
  const scene = scenes[name]
  if (!scene) throw new Error(`There is no scene "${name}".`)
  return canned.send(scene, scene.body === undefined ? '' : await readFile(join(fixture, scene.body)))
}

function toldIn(output: string): Told[] {
  return [...output.matchAll(/^(?:done|refused) (\{.*\})$/gm)].map(([, json]) => JSON.parse(json ?? ''))
}

async function freshCopy(from: string, to: string): Promise<void> {
  await rm(to, { recursive: true, force: true })
  await cp(from, to, { recursive: true })
}
