import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { cpuOfProcess, memoryOf, memoryOfTree, treeOf } from './processes.ts'
import { type Line, median, print } from './report.ts'

const starts = 11
const idleSeconds = 30
const mostMs = 500
const mostMegabytes = 160

const terrace = fileURLToPath(new URL('../bin/terrace', import.meta.url))

/** As plain as can be, and JavaScript: to take the types off a script, Node loads a compiler. */
const bare = `require('node:http').createServer((_, response) => response.end()).listen(+process.env.PORT, '127.0.0.1')`

/** Memory of a server that does nothing, with its decoder, and how soon it answers when it is started again. */
export async function benchIdle(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-bench-'))
  const ofTerrace = () => startServer([terrace, 'serve'], { SERVICE_DATA_DIR: folder })
  const ofBare = () => startServer([process.execPath, '-e', bare])
  try {
    await end(await ofTerrace())
    const ours: Started[] = []
    const least: Started[] = []
    for (let start = 0; start < starts; start += 1) {
      for (const [begin, each] of [[ofBare, least] as const, [ofTerrace, ours] as const]) {
        const started = await begin()
        each.push(started)
        await end(started)
      }
    }
    print(
      'A second start, from the command to the first answer; the CPU of everything that the process was',
      linesOfStarts(ours, least),
    )
    const lines: Line[] = []
    for (const [what, begin] of [['node:http alone', ofBare] as const, ['terrace', ofTerrace] as const])
      lines.push(...(await linesOfMemory(what, await begin())))
    print('Memory of an idle server', lines)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Started {
  process: ChildProcess
  pid: number
  port: number
  /** Until the first answer. */
  tookMs: number
  cpuMs: number
}

async function startServer(
  [program = '', ...words]: string[],
  settings: Record<string, string> = {},
): Promise<Started> {
  const port = 20_000 + Math.floor(Math.random() * 12_000)
  const startedAt = performance.now()
  const child = spawn(program, words, {
    env: { PATH: process.env.PATH ?? '', PORT: String(port), ...settings },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const pid = child.pid ?? 0
  while (!(await answers(port))) {
    if (child.exitCode !== null) throw new Error(`${program} ended with ${child.exitCode}.`)
    await sleep(2)
  }
  return { process: child, pid, port, tookMs: performance.now() - startedAt, cpuMs: cpuOfProcess(pid) }
}

async function answers(port: number, path = '/_/health/live'): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { connection: 'close' } })
    await answer.arrayBuffer()
    return true
  } catch {
    return false
  }
}

async function end({ process: server }: Started): Promise<void> {
  server.kill('SIGTERM')
  await once(server, 'exit')
}

function linesOfStarts(ours: readonly Started[], least: readonly Started[]): Line[] {
  const took = ours.map(({ tookMs }) => tookMs)
  const typical = median(took)
  const ratios = ours.map(({ cpuMs }, turn) => cpuMs / (least[turn]?.cpuMs ?? Number.NaN))
  const cpuOf = (each: readonly Started[]) => `${median(each.map(({ cpuMs }) => cpuMs)).toFixed(0)} ms`
  return [
    {
      what: 'elapsed',
      measured: `${typical.toFixed(0)} ms`,
      reach: `<= ${mostMs} ms`,
      isReached: typical <= mostMs,
    },
    { what: 'elapsed, the quickest', measured: `${Math.min(...took).toFixed(0)} ms` },
    { what: 'CPU', measured: cpuOf(ours) },
    { what: 'CPU of node:http alone', measured: cpuOf(least) },
    { what: 'CPU, against node:http alone', measured: `${median(ratios).toFixed(1)}x` },
  ]
}

async function linesOfMemory(what: string, started: Started): Promise<Line[]> {
  const { pid, port } = started
  const lines: Line[] = []
  const look = (when: string) => {
    const megabytes = memoryOfTree(pid) / 1e6
    const isReached = megabytes <= mostMegabytes
    const rss = treeOf(pid).reduce((sum, each) => sum + memoryOf(each), 0) / 1e6
    lines.push(
      {
        what: `${what}, ${when}`,
        measured: `${megabytes.toFixed(1)} MB`,
        ...(started.process.spawnfile === terrace && { reach: `<= ${mostMegabytes} MB`, isReached }),
      },
      { what: `${what}, ${when}: RSS of all processes`, measured: `${rss.toFixed(1)} MB` },
    )
  }
  await sleep(idleSeconds * 1_000)
  look(`after ${idleSeconds} s`)
  for (let turn = 0; turn < 20; turn += 1)
    for (const path of ['/', '/explore', '/_/health/live']) await answers(port, path)
  look('after 60 requests')
  await end(started)
  return lines
}
