// Opens the app on a data folder and sends one call about a resumable upload through the whole service, without a network.
import { mkdtempSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { startImaging } from '../../../src/imaging/index.ts'
import { callOf, type ResumableScene } from './resumable-scene.ts'
import { playRounds, say } from './rounds.ts'
import { openService } from './service.ts'

const { FIXTURE: fixture = '' } = process.env
const scene = JSON.parse(readFileSync(join(fixture, 'scene.json'), 'utf8')) as ResumableScene
const bytes = readFileSync(join(fixture, 'cat.jpg'))
// Below the fixture, so that the folders of killed drivers go with it.
await using imaging = startImaging({ children: 1, folder: join(fixture, 'decoders') })

await playRounds(async ({ verb, folder }) => {
  const service = await openService({ dataDir: folder, imaging, urlAllow: '' })
  const [start = 0, end = bytes.length] = scene.ranges[verb] ?? []
  const { payload, ...call } = callOf(scene, verb === 'terminate' ? 'DELETE' : 'PATCH', {
    offset: start,
    payload: verb === 'terminate' ? Buffer.alloc(0) : bytes.subarray(start, end),
  })
  // Loads what is loaded late.
  await service.send({ method: 'GET', url: '/_/health/live', headers: { host: 'localhost' } }, '')
  if (imaging.pids.length === 0) {
    const outputFolder = mkdtempSync(join(fixture, 'warm-'))
    await imaging.examine(join(fixture, 'cat.jpg'), {
      tenantKey: 'a',
      outputFolder,
      policy: 'strip_location',
    })
  }
  return {
    async perform() {
      const { status, body } = await service.send(call, payload)
      say(`${status < 300 ? 'done' : 'refused'} ${JSON.stringify({ status, body })}`)
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
})
