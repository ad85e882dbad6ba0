import assert from 'node:assert/strict'
import { type ChildProcess, execFile } from 'node:child_process'
import { createHmac } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { request } from 'node:http'
import { connect, createServer } from 'node:net'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { test } from 'vitest'
import { needing } from '../support/needs.ts'
import { startStopwatch } from '../support/stopwatch.ts'

const onLinux = await needing('linux')

import { processes } from '../support/faults/processes.ts'
import { freePort, onEachStore, sendRequest } from '../support/harness.ts'
import { freshInstallation, type Installation, type Served } from '../support/tool.ts'
import { until } from '../support/until.ts'

/** The values of the block that the first start prints, by their labels. */
function readBlock(printed: string): Record<string, string> {
  return Object.fromEntries(
    [...printed.matchAll(/^ {2}([A-Z][a-z ]+?) {2,}(\S+)/gm)].map(([, name, value]) => [name, value]),
  )
}

const curlOf = (printed: string) => /^ {2}(curl .*)$/m.exec(printed)?.[1] ?? ''

const statusOf = async (served: Served) =>
  (await sendRequest(served.port, 'GET', '/', { headers: { host: 'localhost' } })).status

/** Not the process that compiles their code ahead. */
const decodersOf = ({ pid }: ChildProcess) =>
  processes().filter(
    ({ parent, words }) => parent === pid && words.includes('build/worker') && !words.includes('--compile'),
  )

onEachStore('serve', (store) => {
  test('creates a demo site at its first start, prints its keys once, and stops on a signal', async () => {
    await using installation = await freshInstallation(store)
    await using first = await installation.serve()
    const block = readBlock(first.text)
    assert.deepEqual(Object.keys(block), [
      'Site',
      'Admin',
      'Password',
      'Upload key',
      'Management key',
      'Signing secret',
      'Console',
    ])
    assert.equal(block.Site, `http://localhost:${first.port}/`)
    assert.equal(block['Signing secret'], join(installation.dataDir, 'secrets/request-secret'))
    assert.match(block['Upload key'] ?? '', /^trc_/)
    assert.ok(!first.text.includes('\x1b'))

    const { stdout } = await promisify(execFile)('bash', ['-c', curlOf(first.text)])
    const [demo] = JSON.parse(stdout)
    assert.deepEqual(
      [demo.id, demo.hostname, demo.is_enabled, demo.stats.admins],
      ['demo', 'localhost', true, 1],
    )
    assert.equal((await fetch(`http://127.0.0.1:${first.port}/_/health/ready`)).status, 200)
    assert.equal(await statusOf(first), 200)
    const [key] = await installation.json('tenants', 'api:key:list')
    assert.equal(key.name, 'first-start')
    assert.equal(await first.ended('SIGTERM'), 0)

    await using second = await installation.serve()
    const address = `http://localhost:${second.port}/`
    assert.equal(second.text, `Terrace is up at ${address}\nThe console is at ${address}_/console\n`)
    assert.equal(await second.ended('SIGINT'), 0)

    await installation.json('tenants', 'delete', '--id', 'demo')
    await using third = await installation.serve()
    assert.match(third.text, /^Terrace is up at/)
    assert.deepEqual(await installation.json('tenants', 'list'), [])
  })

  test('finishes a demo site that a killed start left unfinished, and does not touch other tenants', async () => {
    await using installation = await freshInstallation(store)
    await installation.json('tenants', 'create', '--id', 'demo', '--hostname', 'localhost')
    await using served = await installation.serve()
    assert.match(curlOf(served.text), /^curl/)
    assert.equal(await statusOf(served), 200)
    await served.ended('SIGTERM')

    await using other = await freshInstallation(store)
    await other.json('tenants', 'create', '--id', 'cats', '--hostname', 'cats.test')
    await using plain = await other.serve()
    assert.match(
      plain.text,
      /^Terrace is up at \S+\nThe console is at \S+\. Create its first operator: .+\n$/,
    )
    assert.equal((await other.json('tenants', 'list')).length, 1)
  })

  onLinux.test('has a decoder before the first upload', async () => {
    await using installation = await freshInstallation(store)
    await using served = await installation.serve()
    await until(() => decodersOf(served.process).length > 0, 'a decoder')
    const [decoder] = decodersOf(served.process)
    assert.ok(decoder)
    assert.equal(await served.ended('SIGTERM'), 0)
    assert.equal(existsSync(`/proc/${decoder.pid}`), false)
  })

  onLinux.test('logs that no decoder starts, and keeps serving', async () => {
    await using installation = await freshInstallation(store)
    const server = installation.start(['serve'], { PORT: String(await freePort()) })
    const closed = once(server, 'close')
    try {
      let logged = ''
      server.stderr?.on('data', (chunk) => {
        logged += chunk
      })
      await until(() => decodersOf(server).length > 0, 'a decoder')
      for (const { pid } of decodersOf(server)) process.kill(pid, 'SIGKILL')
      await until(() => logged.includes('Decoders do not start'), 'the log says so')
    } finally {
      server.kill('SIGTERM')
    }
    assert.deepEqual(await closed, [0, null])
  })

  test('sees changes by the tool immediately', async () => {
    await using installation = await freshInstallation(store)
    await using served = await installation.serve()
    const reaches = async (status: number) => {
      // On PostgreSQL the news travel; a second is allowed.
      using watch = startStopwatch()
      let seen = await statusOf(served)
      while (seen !== status && store === 'postgres' && watch.ms() < 1_000) seen = await statusOf(served)
      assert.equal(seen, status)
    }
    await reaches(200)
    await installation.json('tenants', 'edit', '--id', 'demo', '--is_enabled', '0')
    await reaches(403)
    await installation.json('tenants', 'edit', '--id', 'demo', '--is_enabled', '1')
    await reaches(200)
    await installation.json('tenants', 'env:rotate')
    await installation.json('tenants', 'edit', '--id', 'demo', '--env', '{"A":"1"}')
    const listed = await promisify(execFile)('bash', ['-c', curlOf(served.text)])
    assert.equal(JSON.parse(listed.stdout)[0].env.A, '1')
    await installation.json('tenants', 'delete', '--id', 'demo', '--drop-tables')
    await reaches(404)
    assert.equal(await served.ended('SIGTERM'), 0)
  })
})

test('a second server on the same folder is refused, and the first one keeps running', async () => {
  await using installation = await freshInstallation()
  await using served = await installation.serve()
  const { code, out, err } = await installation.bin('serve')
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /^Another server runs on the data folder .*\n$/)
  assert.equal(await statusOf(served), 200)
})

test('on PostgreSQL servers run side by side, and one of them prints the demo site', async () => {
  await using installation = await freshInstallation('postgres')
  await installation.json('tenants', 'init')
  const [one, two] = await Promise.all([installation.serve(), installation.serve()])
  await using _one = one
  await using _two = two
  assert.deepEqual([one, two].map((served) => curlOf(served.text) !== '').sort(), [false, true])
  assert.deepEqual([await statusOf(one), await statusOf(two)], [200, 200])
})

test('a database that cannot be reached ends the start with 1 and a reason', async () => {
  await using installation = await freshInstallation('sqlite', {
    SERVICE_DATABASE_URL: `postgresql://terrace:secret-word@127.0.0.1:${await freePort()}/terrace`,
  })
  const { code, out, err } = await installation.bin('serve')
  assert.deepEqual([code, out], [1, ''])
  assert.match(err, /The database cannot be reached/)
  assert.doesNotMatch(err, /secret-word/)
})

test('no demo site is created with SERVICE_DEMO=0', async () => {
  await using installation = await freshInstallation()
  await using served = await installation.serve({ SERVICE_DEMO: '0' })
  assert.match(served.text, /^Terrace is up at \S+\nThe console is at \S+\. Create its first operator: .+\n$/)
  assert.deepEqual(await installation.json('tenants', 'list'), [])
})

test('the printed command works if only signature version 2 is accepted', async () => {
  await using installation = await freshInstallation('sqlite', { SERVICE_TENANTS_API_REQUIRE_V2: '1' })
  await using served = await installation.serve()
  const { stdout } = await promisify(execFile)('bash', ['-c', curlOf(served.text)])
  assert.equal(JSON.parse(stdout)[0].id, 'demo')
})

test('warnings are printed, and a short secret is not in them', async () => {
  await using installation = await freshInstallation('sqlite', {
    SERVICE_TENANTS_API_REQUEST_SECRET: 'tooshort',
    SERVICE_LISTNE: '1.2.3.4:80',
  })
  await using served = await installation.serve()
  assert.match(served.text, /^WARNING: SERVICE_TENANTS_API_REQUEST_SECRET IS SHORTER THAN 16 BYTES/m)
  assert.match(served.text, /^WARNING: SERVICE_LISTNE is not a setting/m)
  assert.equal(readBlock(served.text)['Signing secret'], 'SERVICE_TENANTS_API_REQUEST_SECRET')
  assert.ok(!served.text.includes('tooshort'))
})

test('an address that cannot be listened on is reported with its setting, before anything is created', async () => {
  const taken = createServer().listen(0, '127.0.0.1')
  await once(taken, 'listening')
  const { port } = taken.address() as { port: number }
  await using installation = await freshInstallation()
  const faults: [Record<string, string>, RegExp][] = [
    [{ PORT: String(port) }, /^SERVICE_LISTEN or PORT: 127\.0\.0\.1:\d+ is in use by another program\.\n$/],
    [{ SERVICE_LISTEN: '192.0.2.1:8080' }, /^SERVICE_LISTEN or PORT: 192\.0\.2\.1:8080 is not an address/],
    [
      { PORT: String(await freePort()), SERVICE_INTERNAL_PORT: String(port) },
      /^SERVICE_INTERNAL_PORT: 127\.0\.0\.1:\d+ is in use/,
    ],
  ]
  for (const [settings, says] of faults) {
    const child = installation.start(['serve'], settings)
    const [err, [code]] = await Promise.all([
      text(child.stderr as NonNullable<typeof child.stderr>),
      once(child, 'exit'),
    ])
    assert.match(err, says)
    assert.equal(code, 1)
  }
  taken.close()
  assert.ok(existsSync(join(installation.dataDir, 'control.db')))
  assert.deepEqual(await installation.json('tenants', 'list'), [])
})

test('requests that it has begun to read at SIGTERM are answered', async () => {
  await using installation = await freshInstallation()
  await using served = await installation.serve()
  const { outgoing, rest } = await halfRequest(installation, served)
  served.process.kill('SIGTERM')
  await until(async () => !(await accepts(served.port)), 'It accepts no connections')
  // The same signal again, as the program that started us may send it.
  served.process.kill('SIGTERM')
  outgoing.end(rest)
  const [answer] = await once(outgoing, 'response')
  assert.equal(answer.statusCode, 201)
  answer.resume()
  assert.equal(await served.ended(), 0)
  assert.equal((await installation.json('tenants', 'get', '--id', 'late')).hostname, 'late.test')
})

test('a second signal after more than a second ends it immediately', async () => {
  await using installation = await freshInstallation()
  await using served = await installation.serve()
  const { outgoing } = await halfRequest(installation, served)
  outgoing.on('error', () => undefined)
  const startedAt = Date.now()
  served.process.kill('SIGTERM')
  const repeating = setInterval(() => served.process.kill('SIGTERM'), 50)
  assert.equal(await served.ended(), 1)
  clearInterval(repeating)
  assert.ok(Date.now() - startedAt >= 1_000)
})

/** A request of which the server has the head and half of the body. */
async function halfRequest(installation: Installation, served: Served) {
  const body = JSON.stringify({ id: 'late', hostname: 'late.test', is_enabled: true })
  const secret = (await readFile(join(installation.dataDir, 'secrets/request-secret'), 'utf8')).trim()
  const outgoing = request({
    port: served.port,
    method: 'POST',
    path: '/_/api/4/tenants',
    headers: {
      'content-type': 'application/json',
      'content-length': body.length,
      expect: '100-continue',
      'x-api-key': readBlock(served.text)['Management key'] ?? '',
      'x-signature': createHmac('sha256', secret).update(body).digest('hex'),
    },
  })
  outgoing.flushHeaders()
  await once(outgoing, 'continue')
  outgoing.write(body.slice(0, 20))
  return { outgoing, rest: body.slice(20) }
}

async function accepts(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1')
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
