import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuOf, sendAll } from './load.ts'
import { drawPhoto } from './photos.ts'
import { type Line, median, print, ratioLine } from './report.ts'
import { startChild } from './servers/child.ts'

const rounds = 5

/** A thumb and a whole file from local disk, against nginx sending the same bytes. */
export async function benchDelivery(): Promise<void> {
  if (spawnSync('nginx', ['-v']).error) {
    console.log('\nDelivery: nginx is not on this machine, so nothing is compared.')
    return
  }
  const folder = await mkdtemp(join(tmpdir(), 'terrace-bench-'))
  const environment = { SERVICE_DATA_DIR: join(folder, 'data'), SERVICE_LISTEN: `127.0.0.1:${anyPort()}` }
  try {
    await using server = await startChild('./terrace.ts', { ...environment, SERVICE_LOG_LEVEL: 'error' })
    const photo = join(folder, 'photo.jpeg')
    await drawPhoto(photo, { width: 4000, height: 3000 })
    const { image } = await upload(server.port, server.told.uploadKey ?? '', await readFile(photo))
    const lines: Line[] = []
    for (const [what, url, requests, most] of [
      ['thumb', image.thumb.url, 4_000, 3],
      ['file', image.url, 200, 5],
    ] as const) {
      const bytes = Buffer.from(await (await fetch(url)).arrayBuffer())
      await writeFile(join(folder, what), bytes)
      await using nginx = await startNginx(folder)
      const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`
      const ratios: number[] = []
      for (let round = 0; round < rounds; round += 1) {
        const least = await cpuOf(nginx.pid, () =>
          sendAll(nginx.port, { request: request(`/${what}`), requests }),
        )
        const load = { request: request(new URL(url).pathname), requests }
        const ours = await cpuOf(server.pid, () => sendAll(server.port, load))
        ratios.push(ours / least)
      }
      lines.push(ratioLine(`${what}, ${(bytes.length / 1e3).toFixed(0)} kB`, median(ratios), most))
    }
    print('CPU of sending a file against nginx', lines)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface UploadAnswer {
  image: { url: string; thumb: { url: string } }
}

async function upload(port: number, key: string, bytes: Buffer): Promise<UploadAnswer> {
  const body = new FormData()
  body.append('source', new Blob([new Uint8Array(bytes)]), 'photo.jpg')
  const headers = { 'x-api-key': key }
  const answer = await fetch(`http://localhost:${port}/api/1/upload`, { method: 'POST', body, headers })
  return (await answer.json()) as UploadAnswer
}

async function startNginx(folder: string) {
  const port = anyPort()
  const configuration = `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr crit; user root;
    events { worker_connections 256; }
    http { access_log off; sendfile on; open_file_cache max=100; keepalive_requests 1000000;
      server { listen 127.0.0.1:${port}; root ${folder}; } }`
  const path = join(folder, 'nginx.conf')
  await writeFile(path, configuration)
  const nginx = spawn('nginx', ['-c', path, '-p', folder], { stdio: ['ignore', 'ignore', 2] })
  await untilUp(port, nginx)
  return {
    port,
    pid: nginx.pid ?? 0,
    async [Symbol.asyncDispose]() {
      const ended = new Promise((resolve) => nginx.once('exit', resolve))
      nginx.kill('SIGQUIT')
      await ended
    },
  }
}

async function untilUp(port: number, { exitCode }: ChildProcess): Promise<void> {
  for (let tries = 0; tries < 200 && exitCode === null; tries += 1) {
    const isUp = await fetch(`http://127.0.0.1:${port}/`).then(
      () => true,
      () => false,
    )
    if (isUp) return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('nginx did not come up.')
}

const anyPort = () => 20_000 + Math.floor(Math.random() * 12_000)
