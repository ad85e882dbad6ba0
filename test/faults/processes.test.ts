import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'vitest'
import { treeOf } from '../../bench/processes.ts'
import { processesFor, roomHere } from '../../src/lib/processes/process-count.ts'
import { assertHealthyAt } from '../support/doctor.ts'
import { type Answer, onBothStores, type StoreKind, sendRequest } from '../support/harness.ts'
import { tally, times } from '../support/servers/several-servers.ts'
import { freshInstallation, type Served, type Settings } from '../support/tool.ts'
import { until } from '../support/until.ts'
import { multipartOf, picture } from '../support/uploads.ts'

const count = 3
const processes: Settings = {
  SERVICE_PROCESSES: String(count),
  SERVICE_DEMO: '0',
  SERVICE_ENABLE_UPLOAD_FLOOD_PROTECTION: '0',
}

const argumentsOf = (pid: number): string => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

const furtherOf = (server: Served): number[] =>
  treeOf(server.process.pid ?? 0).filter((pid) => argumentsOf(pid).includes('further-process'))

const allRun = (server: Served) =>
  until(() => listening(server) === count, `${count} processes listen on the port`)

/** How many sockets listen on the port of the server. */
function listening({ port }: Served): number {
  const end = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  return readFileSync('/proc/net/tcp', 'utf8')
    .split('\n')
    .filter((line) => {
      const [, local = '', , state] = line.trim().split(/\s+/)
      return local.endsWith(end) && state === '0A'
    }).length
}

/** An installation with a site, served by several processes. Each request has a connection of its own, so that all of them get some. */
async function startProcesses(store: StoreKind, more: Settings = {}) {
  await using undo = new AsyncDisposableStack()
  const installation = undo.use(await freshInstallation(store, { ...processes, ...more }))
  await installation.json('tenants', 'create', '--id', 'cats', '--hostname', 'cats.test')
  const ada = ['--username', 'ada', '--email', 'ada@example.com', '--password', 'a long password']
  const { api_key: key } = await installation.json('tenants', 'install', '--id', 'cats', ...ada)
  const server = undo.use(await installation.serve())
  await allRun(server)
  const ask = (path: string, headers = {}, at = server) =>
    sendRequest(at.port, 'GET', path, { headers: { host: 'cats.test', ...headers } })
  const upload = async (seed: number, at = server): Promise<Answer> => {
    const value = await picture({ width: 90, height: 60, seed })
    const form = multipartOf([{ name: 'source', value, fileName: `cat-${seed}.png` }])
    const headers = { host: 'cats.test', 'x-api-key': key, 'content-type': form.type }
    return sendRequest(at.port, 'POST', '/api/1/upload', { bytes: form.bytes, headers })
  }
  const owned = undo.move()
  return { installation, server, ask, upload, key, [Symbol.asyncDispose]: () => owned.disposeAsync() }
}

const pathOf = ({ json }: Answer): string => new URL(json.image.url).pathname

onBothStores('processes', (store) => {
  test('write one after the other, and each reads what the others have written', async () => {
    await using all = await startProcesses(store)
    const { server, ask, upload } = all
    const uploads = await Promise.all(times(24, (seed) => upload(seed)))
    assert.deepEqual(tally(uploads), { 200: 24 })
    for (const each of uploads) {
      const answers = await Promise.all(times(6, () => ask(pathOf(each))))
      assert.deepEqual(tally(answers), { 200: 6 })
    }
    const decoders = treeOf(server.process.pid ?? 0).filter((pid) =>
      /build\/worker\.js/.test(argumentsOf(pid)),
    )
    const inFurther = furtherOf(server).flatMap((pid) => treeOf(pid).slice(1))
    assert.ok(decoders.length > 0, 'the first process has decoders')
    assert.deepEqual(inFurther, [], 'the others have none')

    const { text } = await ask('/_/metrics', { host: 'localhost' })
    assert.match(text, /^terrace_uploads_total 24$/m)
    assert.match(text, /^terrace_downloads_total 144$/m)
    assert.match(text, /^terrace_tenants 1$/m)
    assert.match(text, /^terrace_processes 3$/m)
    const stats = async () => (await all.installation.json('tenants', 'get', '--id', 'cats')).stats
    await until(async () => (await stats()).files === 24, 'the stats count all files')
    assert.equal(await server.ended('SIGTERM'), 0)
    await assertHealthyAt(all.installation.settings)
  })

  test('are as many as the machine has room for, if that is asked for', async () => {
    await using installation = await freshInstallation(store, { ...processes, SERVICE_PROCESSES: 'auto' })
    await using server = await installation.serve()
    await until(() => listening(server) === processesFor(roomHere()), 'as many listen on the port')
    assert.equal(await server.ended('SIGTERM'), 0)
  })

  test('count the rate of a caller together', async () => {
    await using all = await startProcesses(store, { SERVICE_RATE_READS: '40' })
    const headers = { 'x-api-key': all.key }
    const answers = await Promise.all(times(70, () => all.ask('/api/5/me', headers)))
    assert.deepEqual(tally(answers), { 200: 40, 429: 30 })
  })

  test('lose nothing but its own requests if one of them is killed, and another takes its place', async () => {
    await using all = await startProcesses(store)
    const { server, ask, upload } = all
    const stored: Answer[] = []
    let isOver = false
    const uploading = times(4, async (client) => {
      for (let round = 0; !isOver; round += 1) {
        const answer = await upload(1_000 * client + round).catch(() => undefined)
        if (answer?.status === 200) stored.push(answer)
      }
    })
    for (let kills = 0; kills < 3; kills += 1) {
      const before = stored.length
      await until(() => stored.length > before + 3, 'uploads are stored')
      const [first] = furtherOf(server)
      process.kill(first ?? 0, 'SIGKILL')
      await until(() => !furtherOf(server).includes(first ?? 0), 'the process has ended')
      await allRun(server)
    }
    isOver = true
    await Promise.all(uploading)
    for (const each of stored) assert.equal((await ask(pathOf(each))).status, 200)
    assert.equal(await server.ended('SIGTERM'), 0)
    await assertHealthyAt(all.installation.settings)
  })

  test('count what clients did, and a killed one forgets only what it had not reported', async () => {
    await using all = await startProcesses(store, { SERVICE_RATE_READS: '0' })
    const { server, ask, upload, installation } = all
    const names = ['uploads', 'upload_bytes', 'downloads', 'traffic_bytes', 'views', 'api_requests'] as const
    /** What one client did, as it has seen it. */
    const visit = async (seed: number): Promise<number[]> => {
      const stored = await upload(seed)
      assert.equal(stored.status, 200, stored.text)
      const answers = [await ask(pathOf(stored)), await ask(pathOf(stored), { range: 'bytes=0-9' })]
      assert.deepEqual(
        answers.map(({ status }) => status),
        [200, 206],
      )
      const traffic = answers.reduce((sum, { headers }) => sum + Number(headers['content-length']), 0)
      const viewer = new URL(stored.json.image.url_viewer).pathname
      assert.equal((await ask(viewer, { accept: 'text/html' })).status, 200)
      const { length } = await picture({ width: 90, height: 60, seed })
      return [1, length, 2, traffic, 1, 1]
    }
    const visits = async (first: number, number: number) => {
      const done = await Promise.all(times(number, (index) => visit(first + index)))
      return names.map((_, at) => done.reduce((sum, one) => sum + (one[at] ?? 0), 0))
    }
    const shown = async () => {
      const words = ['tenants', 'usage', '--id', 'cats', '--step', 'total']
      const [row] = (await installation.json(...words)).data
      return names.map((name) => row[name])
    }
    const reported = await visits(0, 12)
    await until(async () => (await shown()).join() === reported.join(), `the usage is ${reported}`)

    const perhaps = await visits(20, 12)
    const [one = 0] = furtherOf(server)
    process.kill(one, 'SIGKILL')
    await until(() => !furtherOf(server).includes(one), 'the process has ended')
    await allRun(server)
    const kept = await visits(40, 12)
    assert.equal(await server.ended('SIGTERM'), 0)
    const least = reported.map((count, at) => count + (kept[at] ?? 0))
    const most = least.map((count, at) => count + (perhaps[at] ?? 0))
    const last = await shown()
    // Counted in the transaction of the upload.
    assert.deepEqual(last.slice(0, 2), most.slice(0, 2))
    for (const [at, name] of names.entries())
      assert.ok(
        (least[at] ?? 0) <= last[at] && last[at] <= (most[at] ?? 0),
        `${name}: ${JSON.stringify({ least, last, most })}`,
      )
    await assertHealthyAt(installation.settings)
  })

  test('end when the first one is killed, and the next server has all that was answered', async () => {
    await using all = await startProcesses(store)
    const { server, upload } = all
    const uploads = await Promise.all(times(6, (seed) => upload(seed)))
    const others = furtherOf(server)
    assert.equal(others.length, count - 1)
    await server.ended('SIGKILL')
    await using next = await all.installation.serve()
    for (const each of uploads) assert.equal((await all.ask(pathOf(each), {}, next)).status, 200)
    await until(() => others.every((pid) => argumentsOf(pid) === ''), 'the others have ended')
    assert.equal((await upload(99, next)).status, 200)
  })

  test('do not share their port with another server', async () => {
    await using all = await startProcesses(store)
    await using beside = await freshInstallation('sqlite', { ...processes, PORT: String(all.server.port) })
    const { code, err } = await beside.bin('serve')
    assert.equal(code, 1)
    assert.match(err, /SERVICE_LISTEN or PORT: .* is in use by another program/)
  })
})
