import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, readFile, rm, symlink } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { test } from 'vitest'
import { freePort, sendRequest } from '../support/harness.ts'
import { imageContents, instructionsOf, read, root } from '../support/project/deployment-files.ts'
import { until } from '../support/until.ts'

const run = promisify(execFile)
const path = `${dirname(process.execPath)}:${process.env.PATH}`

/** The folder of the image, put together as the Dockerfile says, with the packages that it installs. */
async function imageFolder() {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-image-'))
  for (const each of imageContents().filter((path) => path !== 'node_modules')) {
    await mkdir(join(folder, dirname(each)), { recursive: true })
    await cp(root + each, join(folder, each), { recursive: true })
  }
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { dev?: boolean }>
  }
  for (const [place, { dev }] of Object.entries(packages)) {
    const isNested = place.lastIndexOf('node_modules/') > 0
    if (place === '' || dev || isNested) continue
    await mkdir(join(folder, dirname(place)), { recursive: true })
    await symlink(root + place, join(folder, place))
  }
  return { folder, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) }
}

test('what the image holds is enough to serve, as its health check shows', async () => {
  await using image = await imageFolder()
  const port = await freePort()
  const [program, ...words] = JSON.parse(instructionsOf('ENTRYPOINT')[0] ?? '')
  assert.equal(program, 'node')
  const all = [...words, ...JSON.parse(instructionsOf('CMD')[0] ?? '')]
  const environment = { SERVICE_DATA_DIR: join(image.folder, 'data'), SERVICE_LISTEN: `127.0.0.1:${port}` }
  const server = spawn(process.execPath, all, {
    cwd: image.folder,
    env: { PATH: path, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let output = ''
  for (const stream of [server.stdout, server.stderr]) stream.on('data', (chunk) => (output += chunk))
  const closed = once(server, 'close')
  try {
    await until(() => /curl/.test(output) || server.exitCode !== null, 'it is up')
    assert.equal((await sendRequest(port, 'GET', '/_/health/ready')).status, 200, output)
    // The printed line uploads a picture: decoders are there too.
    const line = output.split('\n').findLast((each) => each.includes('curl')) ?? ''
    const { stdout } = await run('bash', ['-c', line])
    assert.match(stdout, /"status_code":200|http:\/\//, output)
    assert.equal(await healthOf(port), 0)
  } finally {
    server.kill('SIGTERM')
  }
  assert.deepEqual(await closed, [0, null], output)
  assert.equal(await healthOf(port), 1)
})

/** The exit code of the image's own check. */
async function healthOf(port: number): Promise<number | null> {
  const [, words = ''] = /CMD (\[.*\])$/.exec(instructionsOf('HEALTHCHECK')[0] ?? '') ?? []
  const [, ...rest] = JSON.parse(words) as string[]
  const check = spawn(
    process.execPath,
    rest.map((word) => word.replace(':8080', `:${port}`)),
    { stdio: 'ignore' },
  )
  return (await once(check, 'close'))[0]
}

test('the key for Traefik is made once, and anew where its file is lost', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'terrace-key-'))
  try {
    const file = join(folder, 'traefik')
    const env = { PATH: path, SERVICE_DATA_DIR: join(folder, 'data') }
    const make = async () => {
      await run('sh', [`${root}deploy/make-proxy-key.sh`, file], { env, cwd: '/' })
      return (await readFile(file, 'utf8')).trim()
    }
    const isValid = (key: string) =>
      run(process.execPath, [`${root}build/main.js`, 'tenants', 'api:key:verify', '--key', key], {
        env,
      }).then(
        () => true,
        () => false,
      )
    const key = await make()
    assert.match(key, /^trc_\d+_\S+$/)
    assert.ok(await isValid(key))
    assert.equal(await make(), key)

    await rm(file)
    const other = await make()
    assert.deepEqual([await isValid(other), await isValid(key)], [true, false])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
