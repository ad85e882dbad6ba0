import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync, statSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, test } from 'vitest'
import { PRODUCTION_FLAGS } from '../../boot.mjs'
import { parseAddressList } from '../../src/lib/net/addresses.ts'
import { routes } from '../../src/routes.ts'
import { freePort } from '../support/harness.ts'
import {
  compose,
  copied,
  faultsOf,
  filledIn,
  imageSettings,
  instructionsOf,
  isCommand,
  isRoute,
  isTerrace,
  knownSettings,
  read,
  root,
  settingsOf,
} from '../support/project/deployment-files.ts'

const services = Object.entries(compose.services)
const ours = services.filter(([, service]) => isTerrace(service))
const servers = ours.filter(([, { profiles, entrypoint }]) => !profiles && !entrypoint)
const portOf = (listen: string) => Number(listen.split(':').at(-1))

test('boot.mjs starts Node with the flags of production, and passes the environment on unchanged', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'terrace-boot-'))
  const settings = {
    PATH: process.env.PATH ?? '',
    SERVICE_DATA_DIR: dataDir,
    SERVICE_LISTEN: `127.0.0.1:${await freePort()}`,
  }
  const child = spawn(process.execPath, [`${root}boot.mjs`, 'serve'], { env: settings, stdio: 'pipe' })
  try {
    await once(child.stdout, 'data')
    const fieldsOf = (name: string) => readFileSync(`/proc/${child.pid}/${name}`, 'utf8').split('\0')
    assert.deepEqual(fieldsOf('cmdline').slice(1, 1 + PRODUCTION_FLAGS.length), PRODUCTION_FLAGS)
    const environment = fieldsOf('environ').filter((field) => field !== '')
    assert.deepEqual(Object.fromEntries(environment.map((field) => field.split('='))), settings)
  } finally {
    child.kill()
    await once(child, 'exit')
    await rm(dataDir, { recursive: true })
  }
})

test('the bundle can be read by decoders, which have an account of their own', () => {
  assert.equal(statSync(`${root}build`).mode & 0o055, 0o055)
})

describe('Dockerfile', () => {
  test('starts Node as boot.mjs does', () => {
    const [, ...args] = JSON.parse(instructionsOf('ENTRYPOINT')[0] ?? '') as string[]
    assert.deepEqual(args, [...PRODUCTION_FLAGS, 'build/main.js'])
  })

  test('copies what is there, and .dockerignore lets through just that', () => {
    for (const path of copied()) assert.ok(existsSync(root + path), path)
    const passed = [...read('.dockerignore').matchAll(/^!(.*)$/gm)].map(([, path]) => path)
    assert.match(read('.dockerignore'), /^\*$/m)
    assert.deepEqual(passed.toSorted(), [...new Set(copied())].toSorted())
  })

  test('sets settings that there are, to values that are taken', () => {
    assert.deepEqual(faultsOf(imageSettings()), [])
    for (const name of Object.keys(imageSettings())) assert.ok(knownSettings().has(name), name)
  })

  test('opens the port that is listened on, as a user who is not root', () => {
    assert.equal(Number(instructionsOf('EXPOSE')[0]), portOf(imageSettings().SERVICE_LISTEN ?? ''))
    assert.deepEqual(instructionsOf('USER'), ['terrace'])
    assert.deepEqual(instructionsOf('VOLUME'), [imageSettings().SERVICE_DATA_DIR])
  })

  test('runs a command and asks an address that there are', () => {
    const [entry = ''] = instructionsOf('ENTRYPOINT')
    assert.ok(existsSync(root + JSON.parse(entry).at(-1)), entry)
    assert.ok(isCommand(JSON.parse(instructionsOf('CMD')[0] ?? '')))
    const [, port, path = ''] =
      /127\.0\.0\.1:(\d+)([^']*)'/.exec(instructionsOf('HEALTHCHECK')[0] ?? '') ?? []
    assert.equal(Number(port), portOf(imageSettings().SERVICE_LISTEN ?? ''))
    assert.ok(isRoute(path), path)
  })
})

describe('compose.yaml', () => {
  test('gives settings that there are, to values that are taken, and the same to all', () => {
    assert.deepEqual(
      servers.map(([name]) => name),
      ['terrace-1', 'terrace-2'],
    )
    for (const [name, service] of ours) {
      const settings = settingsOf(service)
      assert.deepEqual(faultsOf(settings), [], name)
      for (const each of Object.keys(settings)) assert.ok(knownSettings().has(each), each)
      assert.deepEqual(settings, settingsOf(servers[0]?.[1] ?? service), name)
    }
  })

  test('asks the operator for what docs/scaling.md says', () => {
    const needed = [...read('compose.yaml').matchAll(/\$\{(\w+):\?\}/g)].map(([, name]) => name)
    const [, written = ''] = /cat > \.env <<END\n([\s\S]*?)END/.exec(read('docs/scaling.md')) ?? []
    const named = [...written.matchAll(/^(\w+)=/gm)].map(([, name]) => name)
    assert.deepEqual([...new Set(needed)].toSorted(), named.toSorted())
    for (const name of named)
      assert.ok(read('compose.yaml').split('\nname:')[0]?.includes(String(name)), String(name))
  })

  test('names services, volumes and files that are there', () => {
    const isService = (name: string) => Object.hasOwn(compose.services, name)
    for (const [name, service] of services) {
      for (const [other, { condition }] of Object.entries(service.depends_on ?? {})) {
        assert.ok(isService(other), `${name} depends on ${other}`)
        if (condition === 'service_healthy') assert.ok(compose.services[other]?.healthcheck, other)
      }
      if (service.network_mode) assert.ok(isService(service.network_mode.replace('service:', '')), name)
      for (const volume of service.volumes ?? [])
        assert.ok(Object.hasOwn(compose.volumes, volume.split(':')[0] ?? ''), volume)
      if (service.build) assert.equal(service.build, '.')
      const script = service.entrypoint?.find((word) => word.startsWith('deploy/'))
      if (script) assert.ok(copied().includes(script) && existsSync(root + script), script)
      if (isTerrace(service) && service.command)
        assert.ok(service.command[0] === '--help' || isCommand(service.command), name)
    }
    for (const [name, service] of servers) {
      assert.equal(service.volumes?.[0]?.split(':')[1], settingsOf(service).SERVICE_DATA_DIR, name)
    }
  })

  test('lets the servers reach the database and the bucket as they are set up', () => {
    const [[, server] = []] = servers
    assert.ok(server)
    const { SERVICE_DATABASE_URL: database = '', SERVICE_STORAGE_URL: storage = '' } = settingsOf(server)
    const { hostname, username, password, pathname } = new URL(database)
    const postgres = compose.services[hostname]
    assert.ok(postgres)
    const { POSTGRES_USER, POSTGRES_DB, POSTGRES_PASSWORD } = settingsOf(postgres)
    assert.deepEqual([username, pathname, password], [POSTGRES_USER, `/${POSTGRES_DB}`, POSTGRES_PASSWORD])

    const bucket = new URL(storage)
    const s3 = compose.services[bucket.hostname]
    assert.ok(s3)
    const { MINIO_ROOT_USER, MINIO_ROOT_PASSWORD } = settingsOf(s3)
    assert.deepEqual([bucket.username, bucket.password], [MINIO_ROOT_USER, MINIO_ROOT_PASSWORD])
    const making = compose.services.bucket?.entrypoint?.at(-1) ?? ''
    assert.ok(making.includes(`http://${bucket.host} ${MINIO_ROOT_USER} `), making)
    assert.ok(making.endsWith(`mc mb --ignore-existing s3${bucket.pathname}`), making)
  })

  test('gives Traefik the routing and the addresses of the servers', () => {
    const { traefik } = compose.services
    assert.ok(traefik)
    const words = traefik.entrypoint?.at(-1) ?? ''
    const beside = servers.find(([, { network_mode: mode }]) => mode === 'service:traefik')
    assert.ok(beside)
    const settings = settingsOf(beside[1])

    const endpoint = new URL(/providers\.http\.endpoint=(\S+)/.exec(words)?.[1] ?? '')
    assert.deepEqual([endpoint.hostname, endpoint.port], ['127.0.0.1', settings.SERVICE_INTERNAL_PORT])
    const route = routes.find(({ path }) => path === endpoint.pathname)
    assert.equal(route?.endpoint.access, 'local-key')
    const keyFile = /headers\.X-API-Key="\$\$\(cat (\S+)\)"/.exec(words)?.[1]
    assert.deepEqual(compose.services['proxy-key']?.entrypoint, ['sh', 'deploy/make-proxy-key.sh', keyFile])
    const keys = (service: { volumes?: string[] } | undefined) =>
      service?.volumes?.[0]?.split(':').slice(0, 2)
    assert.deepEqual(keys(traefik), keys(compose.services['proxy-key']))

    const [, entry, port] = /entryPoints\.(\w+)\.address=:(\d+)/.exec(words) ?? []
    assert.equal(entry, settings.SERVICE_PROXY_ENTRYPOINTS)
    assert.deepEqual(traefik.ports?.map(filledIn), [`${settings.SERVICE_PUBLIC_PORT}:${port}`])
    const upstreams = (settings.SERVICE_PROXY_UPSTREAMS ?? '').split(',').map((url) => new URL(url))
    const listening = portOf(settings.SERVICE_LISTEN ?? '')
    assert.deepEqual(
      upstreams.map(({ hostname, port: each }) => [hostname, Number(each)]),
      servers.map(([name]) => [name === beside[0] ? '127.0.0.1' : name, listening]),
    )

    const own = traefik.networks?.default.ipv4_address ?? ''
    assert.ok(parseAddressList(compose.networks.default.ipam.config[0]?.subnet ?? '').has(own))
    const trusted = parseAddressList(settings.SERVICE_TRUSTED_PROXIES ?? '')
    for (const address of ['127.0.0.1', own]) assert.ok(trusted.has(address), address)
    assert.ok(!trusted.has('172.30.77.1'))
  })
})
