import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import sharp from 'sharp'
import { print } from '../report.ts'
import { ask, readUploaded, upload } from './client.ts'
import { type Installation, openInstallation, type Tenant } from './installation.ts'

const wanted = Number(process.env.LONG_RUN_UPLOADS ?? 20_000)
const clients = 8
const mostMinutes = 40
const lifeMs = { least: 3_000, most: 9_000 }

interface Acknowledged {
  path: string
  sha256: string
}

/** Uploads until so many are acknowledged, while the server is killed again and again; then each of them is fetched. */
export async function runKills(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-kills-'))
  try {
    await using installation = await openInstallation({ SERVICE_DATA_DIR: folder })
    const tenant = await installation.tenant('cats')
    const acknowledged: Acknowledged[] = []
    const statuses = new Map<number, number>()
    const until = performance.now() + mostMinutes * 60_000
    const isOver = () => acknowledged.length >= wanted || performance.now() > until
    const [kills] = await Promise.all([
      killAgain(installation, isOver),
      ...Array.from({ length: clients }, (_, lane) =>
        uploadAgain({ installation, tenant, lane, isOver, acknowledged, statuses }),
      ),
    ])
    const lost = await findLost(installation, tenant, acknowledged)
    const stopped = await installation.stop()
    const { code } = await installation.tool('doctor')
    print(
      `Uploads while the server is killed (SIGKILL) every ${lifeMs.least / 1_000} to ${lifeMs.most / 1_000} s`,
      [
        { what: 'acknowledged', measured: String(acknowledged.length) },
        { what: 'kills', measured: String(kills) },
        { what: 'lost or changed', measured: String(lost), reach: '0', isReached: lost === 0 },
        { what: 'answers', measured: JSON.stringify(Object.fromEntries(statuses)) },
        { what: 'exit code after SIGTERM', measured: String(stopped.code) },
        { what: 'exit code of doctor', measured: String(code), reach: '0', isReached: code === 0 },
      ],
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function killAgain(installation: Installation, isOver: () => boolean): Promise<number> {
  let kills = 0
  while (!isOver()) {
    await sleep(lifeMs.least + Math.random() * (lifeMs.most - lifeMs.least))
    if (isOver()) break
    await installation.kill()
    await installation.start()
    kills += 1
  }
  return kills
}

interface FastPath {
  installation: Installation
  tenant: Tenant
  lane: number
  isOver(): boolean
  acknowledged: Acknowledged[]
  statuses: Map<number, number>
}

async function uploadAgain(lane: FastPath): Promise<void> {
  const { installation, tenant, acknowledged, statuses } = lane
  for (let number = 0; !lane.isOver(); number += 1) {
    const file = await drawPicture(lane.lane, number)
    const answer = await upload(installation.port, tenant, file)
    statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
    if (answer.status === 200) acknowledged.push({ path: readUploaded(answer).file, sha256: sha256Of(file) })
    else await sleep(50)
  }
}

function drawPicture(lane: number, number: number): Promise<Buffer> {
  const background = { r: lane, g: number & 255, b: number >> 8 }
  return sharp({ create: { width: 24, height: 16, channels: 3, background } })
    .png()
    .toBuffer()
}

const sha256Of = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex')

async function findLost(
  installation: Installation,
  tenant: Tenant,
  acknowledged: readonly Acknowledged[],
): Promise<number> {
  let lost = 0
  const left = acknowledged.values()
  const look = async () => {
    for (const { path, sha256 } of left) {
      const { status, bytes } = await ask(installation.port, tenant.host, path)
      if (status !== 200 || sha256Of(bytes) !== sha256) lost += 1
    }
  }
  await Promise.all(Array.from({ length: clients }, look))
  return lost
}
