import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { created } from '../support/clients/resumable.ts'
import { type Answer, onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf } from '../support/media.ts'
import { startServers } from '../support/servers/several-servers.ts'
import { otherDatabase } from '../support/stores/other-databases.ts'
import { runsOf } from '../support/tiers.ts'
import { until } from '../support/until.ts'
import { picture, uploaded, userWithKey } from '../support/uploads.ts'

const nothing = { effective: {}, exceeded: [], refused: [], moves: false }

/** What each limit of the property counts, by the name that the stats have for it. */
const counted = {
  SERVICE_MAX_USERS: 'users',
  SERVICE_MAX_ADMINS: 'admins',
  SERVICE_MAX_FILES: 'files',
  SERVICE_MAX_TAGS: 'tags',
  SERVICE_MAX_STORAGE: 'storage_used',
  SERVICE_MAX_PAGES: 'pages',
}

const mostly = (good: unknown[], bad: unknown) =>
  fc.oneof({ weight: 25, arbitrary: fc.constantFrom(...good) }, { weight: 1, arbitrary: fc.constant(bad) })
const countValue = mostly(['0', 1, '2', '3'], 'many')
const sizeValue = mostly(['0', 1_000, '1K', '1G'], '1 GB')
const databaseUrl = mostly(['sqlite:', 'postgres://a:b@127.0.0.1:1/other'], 'mysql://127.0.0.1')
const storageUrl = mostly(['disk:', 's3://KEY:SECRET@127.0.0.1:1/bucket?scheme=http'], '')
const own = fc.constantFrom<unknown>('', 'x', 'y', 7, false)

/** Values of limits and environment, a few of them faulty. */
const someValues = (isEnv: boolean) => {
  const values = {
    ...Object.fromEntries(Object.keys(counted).map((name) => [name, countValue])),
    SERVICE_MAX_KEYS_PER_USER: countValue,
    SERVICE_MAX_STORAGE: sizeValue,
    SERVICE_MAX_UPLOAD_SIZE: sizeValue,
    SERVICE_ENABLE_SIGNUP: own,
    SERVICE_UPLOAD_EARLIEST_FIELDS: own,
    SERVICE_UPLOAD_LEGACY_FIELDS: own,
    OWN_NAME: own,
    OTHER_NAME: own,
  }
  const few = fc
    .record(values, { requiredKeys: [] })
    .chain((all) =>
      fc.subarray(Object.entries(all), { maxLength: 4 }).map((chosen) => Object.fromEntries(chosen)),
    )
  const locations = { SERVICE_DATABASE_URL: databaseUrl, SERVICE_STORAGE_URL: storageUrl }
  const location = fc.option(fc.record(locations, { requiredKeys: [] }), { freq: 2 })
  const map = isEnv ? fc.tuple(few, location).map(([own, more]) => ({ ...own, ...more })) : few
  return fc.oneof(
    { weight: 12, arbitrary: map },
    { weight: 1, arbitrary: fc.constantFrom<unknown>(null, [], 'no map', { 'no name': '1' }) },
  )
}

const planEdit = fc.record({ limits: someValues(false), env: someValues(true) }, { requiredKeys: [] })
const tenantEdit = fc.record(
  {
    plan_id: mostly(['p', 'q', 'p', 'q', '', null], 'none'),
    limits: someValues(false),
    env: someValues(true),
    is_enabled: mostly([true, false], null),
    hostname: mostly(['a.test', 'B.test', 'c.test', 'd.test', 'taken.test'], '10.0.0.1'),
  },
  { requiredKeys: [] },
)
const of = (paths: string[], body: fc.Arbitrary<unknown>) =>
  fc.record({ path: fc.constantFrom(...paths), body })
const step = fc.oneof(
  { weight: 9, arbitrary: of(['tenants-plans/p', 'tenants-plans/q'], planEdit) },
  { weight: 9, arbitrary: of(['tenants/cats', 'tenants/cats', 'tenants/new'], tenantEdit) },
  { weight: 1, arbitrary: of(['tenants/none', 'tenants-plans/none'], planEdit) },
)

type Effective = Record<string, { value: string; level: string }>

async function effectiveOf(app: TestApp, id: string): Promise<Effective> {
  const { json } = await app.call('GET', `tenants/${id}/effective`)
  return { ...json.limits, ...json.env }
}

function changesBetween(before: Effective, after: Effective) {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].sort()
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  return Object.fromEntries(
    changed.map((name) => [
      name,
      {
        from: before[name]?.value ?? null,
        to: after[name]?.value ?? null,
        level: after[name]?.level ?? null,
        from_level: before[name]?.level ?? null,
      },
    ]),
  )
}

/** As a limit means it: 0 is none. */
const sizes: Record<string, number> = { '1K': 1_000, '1G': 1_000_000_000 }
const numberOf = (value: string | undefined) => sizes[value ?? ''] ?? Number(value)

/** What the preview must have said, by what the change has made of the tenant. */
async function expectedOf(app: TestApp, id: string, before: Effective) {
  const after = await effectiveOf(app, id)
  const { stats } = (await app.call('GET', `tenants/${id}`)).json
  const isInstalled = id === 'cats'
  const used: Record<string, number> = {
    ...Object.fromEntries(Object.entries(counted).map(([name, stat]) => [name, stats[stat]])),
    // The key of the install.
    SERVICE_MAX_KEYS_PER_USER: isInstalled ? 1 : 0,
  }
  const uses = Object.keys(used)
    .sort()
    .map((limit) => ({ limit, value: numberOf(after[limit]?.value), used: used[limit] ?? 0 }))
    .filter(({ value }) => value > 0)
  const ownDatabase = app.environment.SERVICE_DATABASE_URL ?? 'sqlite:'
  return {
    effective: changesBetween(before, after),
    exceeded: uses.filter((use) => use.used > use.value),
    refused: uses.filter((use) => use.used >= use.value).map(({ limit }) => limit),
    moves:
      isInstalled &&
      ((after.SERVICE_DATABASE_URL?.value ?? ownDatabase) !== ownDatabase ||
        (after.SERVICE_STORAGE_URL?.value ?? 'disk:') !== 'disk:'),
  }
}

/** Every row of tenants, plans and sites, with the numbers that changes raise. */
async function stateOf({ app }: TestApp) {
  const { control } = app.control.store
  const rows = (['tenant', 'plan', 'site', 'meta'] as const).map((table) =>
    control.selectFrom(table).selectAll().execute(),
  )
  return JSON.stringify(await Promise.all(rows))
}

const refusal = ({ status, json }: Answer) => ({ status, json })

onEachStore('a preview', (store) => {
  test('says what the change then does, of tenants and of plans, and changes nothing', async () => {
    await using app = await startTestApp({ store, environment: { SERVICE_MAX_ALBUMS: '9' } })
    for (const id of ['p', 'q']) await app.call('POST', 'tenants-plans', { id })
    const cats = await app.tenant('cats')
    await uploaded(app, cats, { fields: { tags: 'a,b' } })
    for (const id of ['new', 'taken'])
      await app.call('POST', 'tenants', { id, hostname: `${id}.test`, is_enabled: true })
    await app.call('PATCH', 'tenants/taken', { plan_id: 'q' })

    const kinds = { changed: 0, refused: 0, moved: 0, exceeded: 0 }
    for (const { path, body } of fc.sample(step, { numRuns: runsOf(1_000, 150), seed: 30 })) {
      const shown = `${path} ${JSON.stringify(body)}`
      const ids = ['cats', 'new', 'taken']
      const before = new Map<string, Effective>()
      for (const id of ids) before.set(id, await effectiveOf(app, id))
      const plans = (await app.call('GET', 'tenants')).json as { id: string; plan_id: string | null }[]
      const ask = () => app.call('POST', `${path}/preview`, body)
      let preview = await ask()
      // The edit before this one may still be judged by the quotas: then the rows change once more.
      await until(async () => {
        const state = await stateOf(app)
        app.wait(1)
        preview = await ask()
        return (await stateOf(app)) === state
      }, `a preview that changes nothing: ${shown}`)

      const patched = await app.call('PATCH', path, body)
      if (patched.status !== 204) {
        assert.deepEqual(refusal(preview), refusal(patched), shown)
        kinds.refused += 1
        continue
      }
      assert.equal(preview.status, 200, `${shown}: ${preview.text}`)
      const [, plan] = /^tenants-plans\/(.+)/.exec(path) ?? []
      const touched = plan
        ? plans.filter(({ plan_id: planId }) => planId === plan).map(({ id }) => id)
        : [path.slice('tenants/'.length)]
      const expected = await Promise.all(touched.map((id) => expectedOf(app, id, before.get(id) ?? {})))
      assert.deepEqual(
        preview.json,
        plan
          ? { data: expected.map((each, at) => ({ tenant: touched[at], ...each })), next_cursor: null }
          : expected[0],
        shown,
      )
      kinds.changed += expected.filter(({ effective }) => Object.keys(effective).length > 0).length
      kinds.moved += expected.filter(({ moves }) => moves).length
      kinds.exceeded += expected.filter(({ exceeded }) => exceeded.length > 0).length
    }
    for (const [kind, count] of Object.entries(kinds)) assert.ok(count > 5, `${kind}: ${count}`)
  }, 240_000)

  test('counts what the site holds, and for limits of each user the one who uses most', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const image = await uploaded(app, cats)
    const stored = async () => (await app.call('GET', 'tenants/cats')).json.stats.storage_used
    const bob = await userWithKey(app, cats, 'bob')
    for (const _ of [1, 2]) await keyOf(app, cats, 'upload', bob.userId)
    for (const _ of [1, 2]) await created([app, cats], { key: bob.key, length: 5_000 })
    const key = await keyOf(app, cats, 'write')
    await ask5(app, cats, `POST files/${image.id_encoded}/shares`, { key, body: {} })
    const limits = {
      SERVICE_MAX_USERS: '2',
      SERVICE_MAX_FILES: 1,
      SERVICE_MAX_ADMINS: '5',
      SERVICE_MAX_KEYS_PER_USER: '2',
      SERVICE_MAX_OPEN_UPLOADS: '1',
      SERVICE_MAX_STORAGE: '10K',
      SERVICE_MAX_STORAGE_PER_USER: '1M',
      SERVICE_MAX_FILES_PER_USER: '1',
      SERVICE_MAX_SHARES: '1',
      SERVICE_MAX_UPLOAD_SIZE: '1',
      SERVICE_MAX_TAGS_PER_FILE: '1',
      SERVICE_RATE_READS: '1',
    }
    const { status, json } = await app.call('POST', 'tenants/cats/preview', { limits })
    assert.equal(status, 200)
    const reserved = 2 * (5_000 + 1_000_000)
    assert.deepEqual(json.exceeded, [
      { limit: 'SERVICE_MAX_KEYS_PER_USER', value: 2, used: 3 },
      { limit: 'SERVICE_MAX_OPEN_UPLOADS', value: 1, used: 2 },
      { limit: 'SERVICE_MAX_STORAGE', value: 10_000, used: (await stored()) + reserved },
      { limit: 'SERVICE_MAX_STORAGE_PER_USER', value: 1_000_000, used: reserved },
    ])
    assert.deepEqual(json.refused, [
      'SERVICE_MAX_FILES',
      'SERVICE_MAX_FILES_PER_USER',
      'SERVICE_MAX_KEYS_PER_USER',
      'SERVICE_MAX_OPEN_UPLOADS',
      'SERVICE_MAX_SHARES',
      'SERVICE_MAX_STORAGE',
      'SERVICE_MAX_STORAGE_PER_USER',
      'SERVICE_MAX_USERS',
    ])

    // The limits then refuse as they were said to.
    assert.equal(
      (await app.call('PATCH', 'tenants/cats', { limits: { SERVICE_MAX_FILES: '1' } })).status,
      204,
    )
    const upload = { file: await picture({ seed: 5 }) }
    await assert.rejects(uploaded(app, cats, upload), /403.*SERVICE_MAX_FILES/)
    const admin = await keyOf(app, cats, 'admin')
    const removed = await ask5(app, cats, `DELETE files/${image.id_encoded}`, { key: admin })
    assert.equal(removed.status, 204)
    assert.deepEqual(
      (await app.call('POST', 'tenants/cats/preview', { is_enabled: true })).json,
      nothing,
      'a limit that is set and not reached',
    )
  })

  const ids = ['B', 'a1', 'a10', 'a2', 'c', 'd', 'e']
  const body = { limits: { SERVICE_MAX_FILES: '5' } }
  const path = 'tenants-plans/p/preview'

  /** The plan p with these tenants, q with another one, and one without. */
  async function startPlans() {
    const servers = await startServers(store)
    const { call } = servers
    for (const id of ['p', 'q', 'empty']) await call('POST', 'tenants-plans', { id })
    for (const id of ids)
      await call('POST', 'tenants', { id, hostname: `${id}.test`, is_enabled: true, plan_id: 'p' })
    await call('POST', 'tenants', { id: 'a3', hostname: 'a3.test', is_enabled: true, plan_id: 'q' })
    await call('PATCH', 'tenants/c', { env: { SERVICE_MAX_FILES: '7' } })
    return servers
  }

  test('of a plan lists all its tenants in pages, changed or not', async () => {
    await using servers = await startPlans()
    const { call } = servers
    const whole = await call('POST', path, body)
    assert.deepEqual([whole.status, whole.json.next_cursor], [200, null])
    assert.deepEqual(
      whole.json.data,
      ids.map((id) =>
        id === 'c'
          ? { tenant: 'c', ...nothing }
          : {
              tenant: id,
              ...nothing,
              effective: {
                SERVICE_MAX_FILES: { from: '0', to: '5', level: 'plan_limits', from_level: 'default' },
              },
            },
      ),
    )
    const pages: unknown[][] = []
    for (let cursor: string | null = ''; cursor !== null; ) {
      const page: Answer = await call('POST', `${path}?limit=3${cursor && `&cursor=${cursor}`}`, body)
      assert.equal(page.status, 200, page.text)
      pages.push(page.json.data)
      cursor = page.json.next_cursor as string | null
    }
    assert.deepEqual(
      pages.map((page) => page.length),
      [3, 3, 1],
    )
    assert.deepEqual(pages.flat(), whole.json.data)
    const empty = await call('POST', 'tenants-plans/empty/preview', body)
    assert.deepEqual([empty.status, empty.json], [200, { data: [], next_cursor: null }])
  })

  test('of a plan goes on from a cursor of the same plan and change, with any limit', async () => {
    await using servers = await startPlans()
    const { call } = servers
    const whole = await call('POST', path, body)
    const { next_cursor: cursor } = (await call('POST', `${path}?limit=3`, body)).json
    for (const [target, sent, named] of [
      ['tenants-plans/q/preview?cursor=', body, 'cursor'],
      [`${path}?cursor=`, { limits: { SERVICE_MAX_FILES: '6' } }, 'cursor'],
      [`${path}?limit=3&cursor=x`, body, 'cursor'],
      [`${path}?limit=0&cursor=`, body, 'limit'],
      [`${path}?limit=201&cursor=`, body, 'limit'],
      [`${path}?limit=3&limit=3&cursor=`, body, 'limit'],
      [`${path}?after=a&cursor=`, body, 'after'],
    ] as const) {
      const answer = await call('POST', `${target}${cursor}`, sent)
      assert.equal(answer.status, 400, target)
      assert.match(answer.json.error.list.join(), new RegExp(`\\b${named}: `), target)
    }
    const larger = await call('POST', `${path}?limit=200&cursor=${cursor}`, body)
    assert.deepEqual(larger.json, { data: whole.json.data.slice(3), next_cursor: null })
  })

  test('of a plan leaves out tenants that are deleted meanwhile', async () => {
    await using app = await startTestApp({ store })
    await app.call('POST', 'tenants-plans', { id: 'p' })
    const ids = Array.from({ length: 12 }, (_, index) => `t${index + 10}`)
    for (const id of ids) {
      await app.tenant(id)
      await app.call('PATCH', `tenants/${id}`, { plan_id: 'p' })
    }
    const last = ids.at(-1) ?? ''
    const removals = ids.slice(0, -1).map((id) => app.call('DELETE', `tenants/${id}`, { drop_tables: true }))
    const answers = ids.map(() => app.call('POST', 'tenants-plans/p/preview', { limits: { OWN: '1' } }))
    for (const { status } of await Promise.all(removals)) assert.equal(status, 204)
    for (const { status, json, text } of await Promise.all(answers)) {
      assert.equal(status, 200, text)
      assert.equal(json.data.at(-1).tenant, last)
    }
    const after = await app.call('POST', 'tenants-plans/p/preview', { limits: { OWN: '1' } })
    assert.deepEqual(
      after.json.data.map(({ tenant }: { tenant: string }) => tenant),
      [last],
    )
  })

  test('moves an installed tenant only if its data are elsewhere', async () => {
    await using app = await startTestApp({ store })
    await using database = await otherDatabase()
    const env = { SERVICE_DATABASE_URL: database.url }
    await app.call('POST', 'tenants-plans', { id: 'far', env })
    await app.call('POST', 'tenants-plans', { id: 'near' })
    const moves = async (id: string, edit: object) =>
      (await app.call('POST', `tenants/${id}/preview`, edit)).json.moves
    await app.call('POST', 'tenants', { id: 'cats', hostname: 'cats.test', is_enabled: true, plan_id: 'far' })
    assert.equal(await moves('cats', { plan_id: null }), false, 'not installed')
    const account = { username: 'ada', email: 'ada@example.com', password: 'a long password' }
    assert.equal((await app.call('POST', 'tenants/cats/install', account)).status, 201)

    const other = new URL(database.url)
    other.password = 'another'
    for (const [edit, isMoved] of [
      [{ limits: { SERVICE_MAX_FILES: '1' } }, false],
      [{ plan_id: 'near' }, true],
      [{ plan_id: 'near', env }, false],
      [{ env: { SERVICE_DATABASE_URL: other.href } }, false],
      [{ env: { SERVICE_DATABASE_URL: 'postgres://127.0.0.1:1/other' } }, true],
      [{ env: { SERVICE_STORAGE_URL: 's3://KEY:SECRET@127.0.0.1:1/bucket?scheme=http' } }, true],
      [{ env: { SERVICE_STORAGE_URL: 'disk:' } }, false],
    ] as const)
      assert.equal(await moves('cats', edit), isMoved, JSON.stringify(edit))
    const ofPlan = await app.call('POST', 'tenants-plans/far/preview', { env: null })
    assert.deepEqual(
      ofPlan.json.data.map((each: { tenant: string; moves: boolean }) => [each.tenant, each.moves]),
      [['cats', true]],
    )

    // The settings change, the data have not been moved yet.
    await app.call('PATCH', 'tenants/cats', { plan_id: 'near' })
    assert.equal(await moves('cats', { is_enabled: true }), true)
    assert.equal(await moves('cats', { plan_id: 'far' }), false)
  })
})
