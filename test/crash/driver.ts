// Run as a process of its own: opens the app on a data folder, performs one verb, and says when it is done.
// It is killed on the way, at a chosen system call.
import crypto from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync, writeSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { setTimeout } from 'node:timers/promises'

const [verb = '', dataDir = '', seed = ''] = process.argv.slice(2)

// The same names for the same run: then the same system calls come from the same threads.
let drawn = 0
crypto.randomBytes = ((size: number) => {
  drawn += 1
  return crypto.createHash('shake256', { outputLength: size }).update(`${seed} ${drawn}`).digest()
}) as typeof crypto.randomBytes
syncBuiltinESMExports()

const { openApp } = await import('../../src/app.ts')
const { readConfig } = await import('../../src/config.ts')
const { verbs } = await import('./verbs.ts')

const settings = { ...process.env, SERVICE_DATA_DIR: dataDir, SERVICE_LOG_LEVEL: 'silent' }
const open = () => openApp(readConfig(settings, '/'))
let app = verb === 'first start' ? undefined : await open()
// Starts the thread that works on files, and lets the others come to rest: what they load would be counted.
await stat(dataDir)
for (let used = 1_000; used >= 1_000; ) {
  const before = process.cpuUsage()
  await setTimeout(40)
  const { user, system } = process.cpuUsage(before)
  used = user + system
}

// Systems without this folder are those where nothing is traced.
const threads = existsSync('/proc/self/task') ? readdirSync('/proc/self/task').map(Number) : []
writeSync(1, `ready ${JSON.stringify({ pid: process.pid, threads: threads.sort((a, b) => a - b) })}\n`)
await once(process.stdin, 'data')
process.stdin.destroy()

app ??= await open()
try {
  const answer = await verbs[verb]?.perform(app)
  writeSync(1, `done ${JSON.stringify(answer ?? null)}\n`)
} catch (error) {
  const { name, code, stack } = error as Error & { code?: string }
  writeSync(1, name === 'Refusal' ? `refused ${code}\n` : `failed ${stack}\n`)
}
await app[Symbol.asyncDispose]()
