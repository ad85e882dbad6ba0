import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cpuOf, sendAll } from './load.ts'
import { drawPhoto } from './photos.ts'
import { type Line, median, print, ratioLine } from './report.ts'
import { type ChildServer, startChild } from './servers/child.ts'

const rounds = 15
const accelPrefix = '/terrace-files'

/** Files on local disk, against nginx sending the same bytes. */
export async function benchDelivery(): Promise<void> {
  if (spawnSync('nginx', ['-v']).error) {
    console.log('\nDelivery: nginx is not on this machine, so nothing is compared.')
    return
  }
  const folder = await mkdtemp(join(tmpdir(), 'terrace-bench-'))
  const dataDir = join(folder, 'data')
  const environment = {
    SERVICE_DATA_DIR: dataDir,
    SERVICE_LISTEN: `127.0.0.1:${anyPort()}`,
    SERVICE_TRUSTED_PROXIES: '127.0.0.1',
    SERVICE_LOG_LEVEL: 'error',
  }
  try {
    await using server = await startChild('./terrace.ts', environment)
    await using nginx = await startNginx({ folder, dataDir, server })
    const photo = await uploadPhoto(server, folder, { width: 4000, height: 3000 })
    const poster = await uploadPhoto(server, folder, { width: 5600, height: 4200 })
    const lines = [
      await compare('thumb', { server, nginx, folder, url: photo.thumb.url, requests: 2_000, most: 3 }),
      await compare('medium', { server, nginx, folder, url: photo.medium.url, requests: 2_000, most: 3 }),
      await compare('file', { server, nginx, folder, url: photo.url, requests: 100, most: 5 }),
      await compare('file too large for memory', { server, nginx, folder, url: poster.url, requests: 60 }),
    ]
    print('CPU of sending a file against nginx', lines)
    print(
      'CPU of nginx in front of us against nginx alone, when it sends the bytes itself (X-Accel-Redirect)',
      [
        await compare('thumb', {
          server,
          nginx,
          folder,
          url: photo.thumb.url,
          requests: 2_000,
          isProxied: true,
        }),
        await compare('file', { server, nginx, folder, url: photo.url, requests: 100, isProxied: true }),
      ],
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Comparison {
  server: ChildServer
  nginx: Nginx
  folder: string
  url: string
  requests: number
  most?: number
  isProxied?: boolean
}

async function compare(what: string, comparison: Comparison): Promise<Line> {
  const { server, nginx, folder, url, requests, most, isProxied } = comparison
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer())
  const name = `${bytes.length}`
  await writeFile(join(folder, 'public', name), bytes)
  const load = (path: string) => ({ request: `GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`, requests })
  const least = load(`/${name}`)
  const ours = load(new URL(url).pathname)
  const port = isProxied ? nginx.proxyPort : server.port
  const pids = isProxied ? [server.pid, nginx.pid] : [server.pid]
  // As it runs in service: compiled.
  await sendAll(port, { ...ours, requests: 15 * requests })
  const ratios: number[] = []
  for (let round = 0; round < rounds; round += 1) {
    const leastMs = await cpuOf([nginx.pid], () => sendAll(nginx.port, least))
    ratios.push((await cpuOf(pids, () => sendAll(port, ours))) / leastMs)
  }
  const line = ratioLine(`${what}, ${(bytes.length / 1e3).toFixed(0)} kB`, median(ratios), most ?? 0)
  return most === undefined ? { what: line.what, measured: line.measured } : line
}

interface UploadAnswer {
  image: { url: string; thumb: { url: string }; medium: { url: string } }
}

async function uploadPhoto(server: ChildServer, folder: string, size: { width: number; height: number }) {
  const path = join(folder, 'photo.jpeg')
  await drawPhoto(path, size)
  const body = new FormData()
  body.append('source', new Blob([new Uint8Array(await readFile(path))]), 'photo.jpg')
  const headers = { 'x-api-key': server.credentials.uploadKey ?? '' }
  const answer = await fetch(`http://localhost:${server.port}/api/1/upload`, {
    method: 'POST',
    body,
    headers,
  })
  return ((await answer.json()) as UploadAnswer).image
}

interface Nginx extends AsyncDisposable {
  /** Where it sends a folder of its own. */
  port: number
  /** Where it stands in front of us. */
  proxyPort: number
  pid: number
}

interface BackendPool {
  folder: string
  dataDir: string
  server: ChildServer
}

async function startNginx({ folder, dataDir, server }: BackendPool): Promise<Nginx> {
  const port = anyPort()
  const proxyPort = port + 1
  const proof = createHmac('sha256', server.credentials.secret ?? '')
    .update(accelPrefix)
    .digest('hex')
  const configuration = `daemon off; worker_processes 1; pid ${folder}/nginx.pid; error_log stderr crit; user root;
    events { worker_connections 256; }
    http { access_log off; sendfile on; open_file_cache max=100; keepalive_requests 1000000;
      upstream terrace { server 127.0.0.1:${server.port}; keepalive 16; keepalive_requests 1000000; }
      server { listen 127.0.0.1:${port}; root ${folder}/public; }
      server { listen 127.0.0.1:${proxyPort};
        location / { proxy_pass http://terrace; proxy_http_version 1.1; proxy_set_header Connection "";
          proxy_set_header Host $host; proxy_set_header X-Terrace-Accel "${accelPrefix} ${proof}"; }
        location ${accelPrefix}/ { internal; alias ${dataDir}/; } } }`
  const path = join(folder, 'nginx.conf')
  await mkdir(join(folder, 'public'))
  await writeFile(path, configuration)
  const nginx = spawn('nginx', ['-c', path, '-p', folder], { stdio: ['ignore', 'ignore', 2] })
  await untilUp(port, nginx)
  return {
    port,
    proxyPort,
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
