import assert from 'node:assert/strict'
import { get } from 'node:http'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { assertHealthyAt } from '../support/doctor.ts'
import { sendRequest } from '../support/harness.ts'
import { needing } from '../support/needs.ts'
import { freshInstallation, type Installation, type Served } from '../support/tool.ts'
import { multipartOf } from '../support/uploads.ts'
import { checkFiles } from './crash/look.ts'
import { type CutDisk, openCutDisk } from './crash/power.ts'
import { checkRows } from './crash/rows.ts'
import { sha256Of } from './crash/service.ts'

/** A run by hand may ask for more. */
const cuts = Number(process.env.POWER_CUTS ?? 100)
/** Then the disk is full enough, and a fresh one is taken. */
const cutsPerDisk = 10
const diskBytes = 64 * 1_048_576
const uploaders = 4
const pictureCount = 6
/** From the first answer to the cut, at most. */
const longestMs = 600

const cutting = await needing('loop device')

cutting.test(
  `no acknowledged upload is lost when the power is cut ${cuts} times`,
  { timeout: 1_800_000 },
  async () => {
    await using disk = await openCutDisk({ sizeBytes: diskBytes })
    const dataDir = join(disk.path, 'data')
    await using installation = await freshInstallation('sqlite', {
      SERVICE_DATA_DIR: dataDir,
      SERVICE_LOG_LEVEL: 'silent',
    })
    const stage = { disk, dataDir, installation, client: await prepare(disk, installation) }
    const counts: Counts = { cuts: 0, acknowledged: 0, rows: 0, unanswered: 0, late: 0, refused: {} }
    while (counts.cuts < cuts) await useUpDisk(stage, counts)
    console.log(`power: ${JSON.stringify(counts)}`)
    // A disk that is gone is no bug, and no fault of the picture.
    assert.deepEqual(Object.keys(counts.refused), ['503'])
    assert.ok(counts.acknowledged > cuts)
  },
)

interface Stage {
  disk: CutDisk
  dataDir: string
  installation: Installation
  client: Client
}

interface Client {
  key: string
  pictures: Picture[]
}

interface Picture {
  bytes: Buffer
  /** Of the file and its versions, in the order of the addresses. */
  hashes: string[]
}

/** An upload that was answered with 200: at these paths these bytes must be found for ever. */
interface Acknowledged {
  paths: string[]
  hashes: string[]
}

interface Counts {
  cuts: number
  acknowledged: number
  rows: number
  /** Whose connection broke before an answer came. */
  unanswered: number
  /** Answered when the power was going already. */
  late: number
  refused: Record<string, number>
}

/** A disk with an installation on it, kept as it is before anything is uploaded. */
async function prepare(disk: CutDisk, installation: Installation): Promise<Client> {
  await disk.mount()
  await using served = await installation.serve()
  const key = /Upload key +(\S+)/.exec(served.text)?.[1] ?? ''
  assert.equal(await served.ended('SIGTERM'), 0)
  await disk.unmount()
  await disk.keep()

  await disk.mount()
  await using again = await installation.serve()
  const pictures: Picture[] = []
  for (let seed = 0; seed < pictureCount; seed += 1) {
    const picture = { bytes: await drawn(seed), hashes: [] as string[] }
    const { paths } = (await upload(again, { key, pictures }, picture)) as Acknowledged
    picture.hashes = await Promise.all(paths.map((path) => hashAt(again, path)))
    assert.equal(picture.hashes[0], sha256Of(picture.bytes))
    pictures.push(picture)
  }
  await again.ended('SIGTERM')
  await disk.unmount()
  return { key, pictures }
}

/** Starts, looks, uploads and cuts the power, again and again; in the end all of it is looked at once more. */
async function useUpDisk({ disk, dataDir, installation, client }: Stage, counts: Counts): Promise<void> {
  await disk.restore()
  const known: Acknowledged[] = []
  let fresh: Acknowledged[] = []
  const last = Math.min(cutsPerDisk, cuts - counts.cuts)
  for (let cut = 0; cut <= last; cut += 1) {
    await disk.mount()
    await using served = await installation.serve()
    await checkFiles(dataDir)
    const { rows } = await checkRows(dataDir)
    assert.ok(rows >= known.length, `${rows} rows, ${known.length} were acknowledged`)
    for (const { paths, hashes } of cut === last ? known : fresh) {
      assert.deepEqual(await Promise.all(paths.map((path) => hashAt(served, path))), hashes, paths.join())
    }
    if (cut < last) {
      fresh = await uploadUntilCut(disk, served, client, counts)
      known.push(...fresh)
      counts.cuts += 1
    } else {
      await assertHealthyAt({ SERVICE_DATA_DIR: dataDir }, { isDeep: true })
      counts.rows += rows
      counts.acknowledged += known.length
    }
    await served.ended('SIGKILL')
    await disk.unmount()
  }
}

async function uploadUntilCut(
  disk: CutDisk,
  served: Served,
  client: Client,
  counts: Counts,
): Promise<Acknowledged[]> {
  const acknowledged: Acknowledged[] = []
  const first = Promise.withResolvers<void>()
  let isGoing = false
  let isCut = false
  const work = async (from: number) => {
    for (let index = from; !isCut; index += 1) {
      const picture = client.pictures[index % pictureCount] as Picture
      const outcome = await upload(served, client, picture).catch(() => 'unanswered' as const)
      first.resolve()
      if (outcome === 'unanswered') counts.unanswered += 1
      else if (typeof outcome === 'number') counts.refused[outcome] = (counts.refused[outcome] ?? 0) + 1
      else if (isGoing) counts.late += 1
      else acknowledged.push(outcome)
    }
  }
  const working = Array.from({ length: uploaders }, (_, index) => work(index))
  // Mostly while all is in full swing, now and then at the very start.
  if (Math.random() < 0.8) await first.promise
  await sleep(Math.random() * longestMs)
  // A machine without power answers nothing. This one goes on, and while its disk is being taken away an fdatasync may
  // succeed that wrote nothing: so it does in a program of one loop too, on Linux 6.18.
  isGoing = true
  await disk.cut()
  // What is still answered now is answered over a disk that is gone.
  await sleep(20)
  isCut = true
  await served.ended('SIGKILL')
  await Promise.all(working)
  return acknowledged
}

/** The status of what was not taken. */
async function upload(served: Served, client: Client, picture: Picture): Promise<Acknowledged | number> {
  const form = multipartOf([{ name: 'source', value: picture.bytes, fileName: 'cat.jpg' }])
  const { status, json } = await sendRequest(served.port, 'POST', '/api/1/upload', {
    bytes: form.bytes,
    headers: { host: 'localhost', 'x-api-key': client.key, 'content-type': form.type },
  })
  if (status !== 200) return status
  const { image } = json
  const urls: string[] = [image.url, image.thumb.url, image.medium.url]
  return { paths: urls.map((url) => new URL(url).pathname), hashes: picture.hashes }
}

async function hashAt(served: Served, path: string): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>()
  const options = { host: '127.0.0.1', port: served.port, path, headers: { host: 'localhost' }, agent: false }
  get(options, (answer) => {
    if (answer.statusCode === 200) buffer(answer).then(resolve, reject)
    else resolve(Buffer.from(`status ${answer.statusCode}`))
  }).on('error', reject)
  return sha256Of(await promise)
}

/** Small, but wide enough to have a medium version. */
function drawn(seed: number): Promise<Buffer> {
  const background = { r: 40 * seed, g: 255 - 40 * seed, b: 128 }
  return sharp({ create: { width: 520, height: 300 + seed, channels: 3, background } })
    .jpeg()
    .toBuffer()
}
