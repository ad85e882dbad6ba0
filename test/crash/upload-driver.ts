// Run as a process of its own: opens the app on a data folder and sends one request through the whole service,
// without a network. It is killed, or its disk fails, at a chosen system call. What was answered is printed at once.
import crypto from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'

const [verb = '', dataDir = ''] = process.argv.slice(2)
const fixture = process.env.FIXTURE ?? ''

// The same names for the same run: then the same system calls come from the same threads.
let drawn = 0
const drawnBytes = (size: number) => {
  drawn += 1
  return crypto.createHash('shake256', { outputLength: size }).update(`${drawn}`).digest()
}
crypto.randomBytes = drawnBytes as typeof crypto.randomBytes
crypto.randomInt = ((below: number) => drawnBytes(6).readUIntBE(0, 6) % below) as typeof crypto.randomInt
syncBuiltinESMExports()

const { openCannedApp } = await import('./canned-app.ts')
const { readScene } = await import('./scene.ts')

const canned = await openCannedApp(dataDir, fixture)
const scenes = verb.split('+').map((name) => {
  if (name === 'die') return undefined
  const scene = readScene(fixture, name)
  return { ...scene, payload: scene.body === undefined ? '' : readFileSync(join(fixture, scene.body)) }
})
// Loads what is loaded late, starts the thread that works on files, and lets the others come to rest.
await canned.send({ method: 'GET', url: '/_/health/live', headers: { host: 'localhost' } }, '')
await stat(dataDir)
for (let used = 1_000; used >= 1_000; ) {
  const before = process.cpuUsage()
  await setTimeout(40)
  const { user, system } = process.cpuUsage(before)
  used = user + system
}

const threads = readdirSync('/proc/self/task').map(Number)
writeSync(1, `ready ${JSON.stringify({ pid: process.pid, threads: threads.sort((a, b) => a - b) })}\n`)
await once(process.stdin, 'data')
process.stdin.destroy()

for (const scene of scenes) {
  if (!scene) await die()
  else {
    const told = await canned.send(scene, scene.payload)
    writeSync(1, `${told.status === 200 ? 'done' : 'refused'} ${JSON.stringify(told)}\n`)
  }
}
await canned[Symbol.asyncDispose]()

/** As soon as what follows an answer is done too, unless something keeps it from being done. */
async function die(): Promise<void> {
  const isBusy = () => readdirSync(join(dataDir, 'spool')).length > 0
  for (let tried = 0; tried < 20 && isBusy(); tried += 1) await setTimeout(20)
  process.kill(process.pid, 'SIGKILL')
}
