// Opens the app on a data folder and sends requests through the whole service, without a network.
// What was answered is printed at once.
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { startImaging } from '../../../src/imaging/index.ts'
import { playRounds, restWord, say } from './rounds.ts'
import { readScene } from './scene.ts'
import { openService } from './service.ts'

const { FIXTURE: fixture = '', URL_ALLOW: urlAllow = '' } = process.env
// Below the fixture, so that the folders of killed drivers go with it.
await using imaging = startImaging({ children: 1, folder: join(fixture, 'decoders') })

const endings = new Map([
  ['rest', () => say(restWord)],
  ['die', () => void process.kill(process.pid, 'SIGKILL')],
])

await playRounds(async ({ verb, folder }) => {
  const service = await openService({ dataDir: folder, imaging, urlAllow })
  const [names, ending] = [verb.split('+').filter((name) => !endings.has(name)), verb.split('+').at(-1)]
  const scenes = names.map((name) => {
    const scene = readScene(fixture, name)
    return { ...scene, payload: scene.body === undefined ? '' : readFileSync(join(fixture, scene.body)) }
  })
  // Loads what is loaded late.
  await service.send({ method: 'GET', url: '/_/health/live', headers: { host: 'localhost' } }, '')
  if (scenes.some((scene) => scene.body !== undefined)) await startDecoder()
  return {
    async perform() {
      for (const scene of scenes) {
        const outcome = await service.send(scene, scene.payload)
        say(`${outcome.status === 200 ? 'done' : 'refused'} ${JSON.stringify(outcome)}`)
      }
      // What follows an answer would be cut off by the end of the app.
      await untilSpoolIsEmpty(folder)
      await endings.get(ending ?? '')?.()
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
})

/** Before anything is counted. */
async function startDecoder(): Promise<void> {
  if (imaging.pids.length > 0) return
  const outputFolder = mkdtempSync(join(fixture, 'warm-'))
  await imaging.examine(join(fixture, 'small.jpg'), {
    tenantKey: 'a',
    outputFolder,
    policy: 'strip_location',
  })
}

/** Unless something keeps it from being so. */
async function untilSpoolIsEmpty(folder: string): Promise<void> {
  const isBusy = () => readdirSync(join(folder, 'spool')).length > 0
  for (let tried = 0; tried < 20 && isBusy(); tried += 1) await setTimeout(20)
}
