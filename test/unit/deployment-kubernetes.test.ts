import assert from 'node:assert/strict'
import pg from 'pg'
import { describe, test } from 'vitest'
import { siteTableNames } from '../../src/db/tables.ts'
import { startTestApp } from '../support/harness.ts'
import {
  faultsOf,
  imageSettings,
  isCommand,
  isRoute,
  knownSettings,
  read,
} from '../support/project/deployment-files.ts'
import { readYaml } from '../support/project/yaml.ts'

const scaling = read('docs/scaling.md')
const section = (heading: string) => scaling.split(/^## /m).find((text) => text.startsWith(heading)) ?? ''
const blockOf = (heading: string, language: string) =>
  new RegExp(`\`\`\`${language}\\n([\\s\\S]*?)\`\`\``).exec(section(heading))?.[1] ?? ''

const objects = readYaml(blockOf('Kubernetes', 'yaml')) as any[]
const named = (kind: string, name: string) =>
  objects.find((each) => each.kind === kind && each.metadata.name === name)
const deployments = objects.filter(({ kind }) => kind === 'Deployment')
const podOf = (deployment: any) => deployment.spec.template.spec
const containerOf = (deployment: any) => podOf(deployment).containers[0]
const port = Number(imageSettings().SERVICE_LISTEN?.split(':').at(-1))

/** What a container gets, from the image, the Secret, the ConfigMap and itself. */
function settingsOf(deployment: any): Record<string, string> {
  const { envFrom, env = [] } = containerOf(deployment)
  const secret = named('Secret', envFrom[0].secretRef.name)
  const map = named('ConfigMap', envFrom[1].configMapRef.name)
  const own = Object.fromEntries(env.map(({ name, value }: { name: string; value: string }) => [name, value]))
  return { ...secret.stringData, ...map.data, ...own }
}

describe('the Kubernetes example', () => {
  test('has what a cluster needs of it', () => {
    assert.deepEqual(
      objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
      [
        'Secret terrace',
        'ConfigMap terrace',
        'Deployment terrace',
        'Deployment terrace-worker',
        'Service terrace',
        'PodDisruptionBudget terrace',
      ],
    )
    for (const { apiVersion } of objects) assert.match(apiVersion, /^(apps\/|policy\/)?v1$/)
  })

  test('gives settings that there are, as text, to values that are taken', () => {
    for (const deployment of deployments) {
      const settings = settingsOf(deployment)
      for (const [name, value] of Object.entries(settings)) {
        assert.equal(typeof value, 'string', name)
        assert.ok(knownSettings().has(name), name)
      }
      assert.deepEqual(faultsOf({ ...imageSettings(), ...settings }), [])
    }
  })

  test('runs commands that there are, where the image lets them write', () => {
    const [, uid] = /--uid (\d+)/.exec(read('Dockerfile')) ?? []
    for (const deployment of deployments) {
      assert.ok(isCommand(containerOf(deployment).args), containerOf(deployment).args.join(' '))
      const { runAsUser, fsGroup, runAsNonRoot } = podOf(deployment).securityContext
      assert.deepEqual([runAsNonRoot, runAsUser, fsGroup], [true, Number(uid), Number(uid)])
      const [mount] = containerOf(deployment).volumeMounts
      assert.equal(mount.mountPath, imageSettings().SERVICE_DATA_DIR)
      assert.equal(podOf(deployment).volumes[0].name, mount.name)
      assert.ok(podOf(deployment).terminationGracePeriodSeconds > 30)
    }
  })

  test('leaves the jobs to the workers', () => {
    const [server, worker] = deployments
    assert.deepEqual(containerOf(server).args, ['serve'])
    assert.equal(settingsOf(server).SERVICE_JOBS, '0')
    assert.deepEqual(containerOf(worker).args, ['tenants', 'jobs:worker'])
    assert.equal(settingsOf(worker).SERVICE_JOBS, undefined)
  })

  test('asks addresses that there are, on the port that is listened on', () => {
    const container = containerOf(named('Deployment', 'terrace'))
    for (const probe of ['livenessProbe', 'readinessProbe', 'startupProbe']) {
      const { path, port: asked } = container[probe].httpGet
      assert.ok(isRoute(path), path)
      assert.equal(asked, port)
    }
    assert.equal(container.livenessProbe.httpGet.path, '/_/health/live')
    assert.equal(container.readinessProbe.httpGet.path, '/_/health/ready')
    assert.deepEqual(container.ports, [{ containerPort: port }])
    const { ports, selector } = named('Service', 'terrace').spec
    assert.equal(ports[0].targetPort, port)

    const { spec } = named('Deployment', 'terrace')
    assert.deepEqual(selector, spec.template.metadata.labels)
    const pause = container.lifecycle.preStop.sleep.seconds
    assert.ok(spec.template.spec.terminationGracePeriodSeconds >= 30 + pause)
    const budget = named('PodDisruptionBudget', 'terrace').spec
    assert.deepEqual(budget.selector.matchLabels, selector)
    assert.ok(budget.minAvailable < spec.replicas)
    for (const deployment of deployments) {
      const { selector: own, template } = deployment.spec
      assert.deepEqual(own.matchLabels, template.metadata.labels)
    }
  })
})

describe('the list of tables to distribute', () => {
  const listed = [
    ...section('Distributing the tables').matchAll(/^select create_distributed_table\('"?(\w+)"?', 'site'/gm),
  ].map(([, name]) => name)

  test('is whole, and each stands behind those that it refers to', async () => {
    await using app = await startTestApp({ store: 'postgres' })
    // Only the store reads the last two; they go where the rows of their site go.
    assert.deepEqual(listed.toSorted(), [...siteTableNames, 'gate', 'rowVersion'].toSorted())
    const references = await rows(
      app,
      `select conrelid::regclass::text as source, confrelid::regclass::text as target from pg_constraint where contype = 'f'`,
    )
    const positionOf = (name: unknown) => listed.indexOf(String(name).replaceAll('"', ''))
    const ofSites = references.filter(({ source }) => positionOf(source) >= 0)
    assert.ok(ofSites.length > 5)
    for (const { source, target } of ofSites)
      assert.ok(
        positionOf(target) >= 0 && positionOf(target) <= positionOf(source),
        `${source} refers to ${target}`,
      )
    for (const { source, target } of references.filter((each) => positionOf(each.source) < 0))
      assert.equal(positionOf(target), -1, `${source} refers to ${target}`)
  })

  test('leaves the control tables in one place, all of them', async () => {
    await using app = await startTestApp({ store: 'postgres' })
    const all = await rows(app, `select tablename as name from pg_tables where schemaname = 'public'`)
    const local = all.map(({ name }) => name).filter((name) => !listed.includes(name))
    const [, listedHere = ''] = /^\| local to the coordinator \| (.*) \|$/m.exec(scaling) ?? []
    assert.deepEqual(
      [...listedHere.matchAll(/`(\w+)`/g)].map(([, name]) => name).toSorted(),
      local.toSorted(),
    )
  })
})

async function rows(app: { environment: Record<string, string> }, question: string): Promise<any[]> {
  const client = new pg.Client({ connectionString: app.environment.SERVICE_DATABASE_URL })
  await client.connect()
  return (await client.query(question).finally(() => client.end())).rows
}
