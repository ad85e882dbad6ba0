import assert from 'node:assert/strict'
import { test } from 'vitest'
import { attentionIn, startConsole, type TestConsole } from '../support/console.ts'
import { onBothStores, onEachStore, startTestApp } from '../support/harness.ts'
import { startS3Stub } from '../support/stores/storage-s3-stub.ts'
import { cellsOfTable } from '../support/tables.ts'
import { until } from '../support/until.ts'
import { onSiteOf, uploaded } from '../support/uploads.ts'
import { startMove, workEnded } from '../support/work.ts'

/** The figures of the page by their names. */
function figuresIn(text: string): Map<string, string> {
  const [, list = ''] = /<dl class="figures">([\s\S]*?)<\/dl>/.exec(text) ?? []
  return new Map(
    [...list.matchAll(/<dt>([\s\S]*?)<\/dt><dd><span class="figure">([\s\S]*?)<\/span>/g)].map(
      ([, name = '', value = '']) => [name, value.replaceAll(/<[^>]*>/g, '').trim()],
    ),
  )
}

const overviewOf = async (app: TestConsole, query = '') => (await app.console.get(query)).text
const allWell = /Everything is running well\./

onEachStore('the overview of the console', (store) => {
  test('begins with the first steps while there are no tenants', async () => {
    await using app = await startConsole({ store })
    const text = await overviewOf(app)
    assert.match(text, /<h1 dir="auto">Overview<\/h1>/)
    for (const path of ['plans/new', 'tenants/new', 'keys'])
      assert.ok(text.includes(`href="/_/console/${path}"`), path)
    assert.match(text, allWell)
    const viewer = await app.operator('viewer')
    assert.doesNotMatch((await viewer.get('')).text, /tenants\/new|First steps/)
  })

  test('counts tenants by state, bytes, uploads and requests, which follow each change', async () => {
    await using app = await startConsole({ store })
    const cats = await app.tenant('cats')
    await app.call('POST', 'tenants', { id: 'new', hostname: 'new.test', is_enabled: false })
    const text = await overviewOf(app)
    assert.equal(figuresIn(text).get('Tenants'), '2')
    for (const [state, count] of [
      ['enabled', 'Enabled 1'],
      ['disabled', 'Disabled 1'],
      ['not-installed', 'Not installed 1'],
    ] as const)
      assert.ok(text.includes(`tenants?state=${state}">${count}</a>`), state)
    assert.match(text, allWell)

    await uploaded(app, cats)
    const { stats } = (await app.call('GET', 'tenants/cats')).json
    assert.ok(stats.storage_used > 0)
    let shown = figuresIn(await overviewOf(app))
    await until(async () => {
      app.wait(1)
      shown = figuresIn(await overviewOf(app))
      return shown.get('API requests today') === '1'
    }, 'the request is counted')
    assert.equal(shown.get('Uploads today'), '1')
    assert.match(shown.get('Stored') ?? '', /\d B|KB/)
    assert.equal(shown.get('Errors today'), '0')

    const { columns, byHeader } = cellsOfTable(await overviewOf(app))
    assert.deepEqual(columns, ['Day', 'Uploads', 'API requests', 'Errors', 'Traffic', 'Storage'])
    assert.equal(byHeader.size, 30)
    assert.deepEqual([...byHeader.values()][0]?.slice(0, 3), ['1', '1', '0'])
    assert.equal(cellsOfTable(await overviewOf(app, '?days=90')).byHeader.size, 90)

    // The day after, the same is yesterday's.
    app.wait(86_400)
    const later = await app.operator('operator')
    const next = (await later.get('')).text
    assert.equal(figuresIn(next).get('Uploads today'), '0')
    assert.deepEqual([...cellsOfTable(next).byHeader.values()][1]?.slice(0, 2), ['1', '1'])

    await app.call('DELETE', 'tenants/cats', { drop_tables: true })
    const rest = (await later.get('')).text
    assert.equal(figuresIn(rest).get('Tenants'), '1')
    assert.equal(figuresIn(rest).get('Stored'), '0 B')
    assert.deepEqual([...cellsOfTable(rest).byHeader.values()][1]?.slice(0, 2), ['0', '0'])
  })

  test('shows three months of all tenants, of which the last one is shown first', async () => {
    await using app = await startConsole({ store })
    await uploaded(app, await app.tenant('cats'))
    await until(async () => {
      app.wait(1)
      return figuresIn(await overviewOf(app)).get('Uploads today') === '1'
    }, 'the upload is counted')
    app.wait(45 * 86_400)
    const later = await app.operator('operator')
    const uploads = async (query: string) =>
      [...cellsOfTable((await later.get(query)).text).byHeader.values()].map(([count]) => Number(count))
    const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0)
    assert.equal(sum(await uploads('')), 0)
    assert.deepEqual([sum(await uploads('?days=90')), (await uploads('?days=90'))[45]], [1, 1])
    await uploaded(app, await app.tenant('dogs'))
    await until(async () => {
      app.wait(1)
      return sum(await uploads('')) === 1
    }, 'the next one is counted')
    assert.equal(sum(await uploads('?days=90')), 2)
    await app.call('DELETE', 'tenants/cats', { drop_tables: true })
    assert.deepEqual([sum(await uploads('')), sum(await uploads('?days=90'))], [1, 1])
  })

  test('names tenants near a limit, by the plan as well, until the limit is raised', async () => {
    await using app = await startConsole({ store })
    await app.call('POST', 'tenants-plans', { id: 'small' })
    const cats = await app.tenant('cats')
    await app.call('PATCH', 'tenants/cats', { plan_id: 'small' })
    await uploaded(app, cats)
    assert.match(await overviewOf(app), allWell)
    await app.call('PATCH', 'tenants-plans/small', { limits: { SERVICE_MAX_FILES: '1' } })
    const one = ['1 tenant uses more than 90 % of a limit > attention/limits']
    assert.deepEqual(attentionIn(await overviewOf(app)), one)
    const { byHeader } = cellsOfTable((await app.console.get('attention/limits')).text)
    assert.equal(byHeader.get('cats')?.[0], 'Files')
    assert.match(byHeader.get('cats')?.[1] ?? '', /^1 of 1/)
    await app.call('PATCH', 'tenants/cats', { env: { SERVICE_MAX_FILES: '2' } })
    assert.match(await overviewOf(app), allWell)
    await app.call('PATCH', 'tenants/cats', { env: { SERVICE_MAX_USERS: '1' } })
    assert.deepEqual(attentionIn(await overviewOf(app)), one)
    await app.call('PATCH', 'tenants/cats', { env: {}, plan_id: null })
    assert.match(await overviewOf(app), allWell)
    assert.match((await app.console.get('attention/limits')).text, /No tenant uses more/)
    assert.equal((await app.console.get('attention/others')).status, 404)
  })

  test('names suspended tenants, failing jobs, keys that end, and env that no key opens', async () => {
    await using app = await startConsole({ store })
    const cats = await app.tenant('cats')
    await app.tenant('dogs')
    await uploaded(app, cats)
    const { control } = app.app.control.store
    const env = { SERVICE_MAX_STORAGE: '1', SERVICE_QUOTA_ACTION: 'suspend', SERVICE_QUOTA_GRACE_DAYS: '0' }
    await app.call('PATCH', 'tenants/cats', { env })
    await until(async () => {
      app.wait(1)
      return attentionIn(await overviewOf(app)).some((each) => each.includes('is suspended'))
    }, 'the site is suspended')
    assert.match((await app.console.get('attention/suspended')).text, /tenants\/cats"/)

    await app.call('PATCH', 'tenants/dogs', { env: { A: '1' } })
    await control.updateTable('tenant').set({ env: 'broken.broken' }).where('id', '=', 'dogs').execute()
    await app.call('PATCH', 'tenants/cats', { hostname: 'cats2.test' })
    await control.updateTable('job').set({ failures: 3 }).execute()
    const soon = new Date(app.app.control.clock.now().getTime() + 5 * 86_400_000).toISOString().slice(0, 10)
    assert.equal((await app.console.post('keys', { name: 'soon', expires_at: soon })).status, 200)
    const found = attentionIn(await overviewOf(app))
    for (const each of [
      /^1 tenant is suspended > attention\/suspended$/,
      /^Env values of 1 tenant can’t be decrypted > attention\/unreadable$/,
      /^1 management key expires within 14 days > keys$/,
      /^\d tenants? ha(?:s|ve) failing jobs > jobs\?state=failing$/,
    ])
      assert.ok(
        found.some((entry) => each.test(entry)),
        `${each}: ${found.join(' | ')}`,
      )
    assert.match((await app.console.get('attention/unreadable')).text, /tenants\/dogs"/)
  })

  test('names a plan that no key opens, and every list shows the other plans and tenants', async () => {
    await using app = await startConsole({ store })
    await app.tenant('cats')
    await app.tenant('dogs')
    await app.call('POST', 'tenants-plans', { id: 'gold', env: { A: '1' } })
    await app.call('POST', 'tenants-plans', { id: 'small', limits: { SERVICE_MAX_FILES: '9' } })
    await app.call('PATCH', 'tenants/cats', { plan_id: 'gold' })
    await app.call('PATCH', 'tenants/dogs', { env: { A: '1' } })
    const broken = { env: 'x.y.z.w' }
    await app.app.control.store.changeControl(async (db) => {
      await db.updateTable('plan').set(broken).where('id', '=', 'gold').execute()
      await db.updateTable('tenant').set(broken).where('id', '=', 'dogs').execute()
    })
    const found = attentionIn(await overviewOf(app))
    assert.ok(found.includes('Env values of 1 plan can’t be decrypted: gold > plans'), found.join(' | '))
    const plans = cellsOfTable((await app.console.get('plans')).text).byHeader
    assert.deepEqual(plans.get('gold')?.slice(0, 3), ['1', '0', 'Can’t be decrypted'])
    assert.deepEqual(plans.get('small')?.slice(0, 3), ['0', '1', '0'])
    for (const path of ['tenants', 'tenants.csv', 'find?q=s', 'jobs', 'attention/unreadable']) {
      const { status, text } = await app.console.get(path)
      assert.deepEqual([status, text.includes('dogs')], [200, true], path)
    }
    assert.match((await app.console.get('tenants/new')).text, /value="gold"/)
    assert.equal((await app.console.post('plans/gold/delete')).status, 303)
    assert.equal((await app.console.get('tenants/cats')).status, 200)
  })

  test('names a failed move until it is repeated, its values are taken back, or its tenant is deleted', async () => {
    await using app = await startConsole({ store })
    await using bucket = await startS3Stub()
    const nowhere = 's3://ACCESSKEY:verysecretsecret@127.0.0.1:1/bucket?scheme=http'
    const setStorage = (id: string, env: Record<string, string>) =>
      app.call('PATCH', `tenants/${id}`, { env })
    const failed = async () => attentionIn(await overviewOf(app)).filter((each) => each.endsWith('> moves'))
    for (const id of ['ants', 'bees', 'cats']) {
      await uploaded(app, await app.tenant(id))
      await setStorage(id, { SERVICE_STORAGE_URL: nowhere })
      await startMove(app, id)
      await workEnded(app)
    }
    assert.deepEqual(await failed(), ['3 moves failed > moves'])
    await setStorage('ants', { SERVICE_STORAGE_URL: bucket.url })
    assert.deepEqual(await failed(), ['3 moves failed > moves'])
    await startMove(app, 'ants')
    await workEnded(app)
    assert.deepEqual(await failed(), ['2 moves failed > moves'])
    await setStorage('bees', {})
    assert.deepEqual(await failed(), ['1 move failed > moves'])
    await app.call('DELETE', 'tenants/cats', { drop_tables: true })
    assert.deepEqual(await failed(), [])
  })

  test('names what the doctor has found, until its checks find nothing', async () => {
    await using app = await startConsole({ store })
    const cats = await app.tenant('cats')
    await uploaded(app, cats)
    const found = async () => {
      await app.console.post('health/run')
      await workEnded(app)
      return attentionIn(await overviewOf(app)).filter((each) => /problems? > health$/.test(each))
    }
    assert.deepEqual(await found(), [])
    const setTotal = (value: number) =>
      onSiteOf(app, cats, async ({ db }) => {
        await db.updateTable('total').set({ value }).where('name', '=', 'albums').execute()
      })
    await setTotal(5)
    // The copy in the control row differs then, too.
    assert.deepEqual(await found(), ['The last health check found 2 problems > health'])
    assert.match((await app.console.get('health')).text, /total albums/)
    await setTotal(0)
    assert.match(attentionIn(await overviewOf(app)).join(), /found 2 problems/, 'until the next run')
    assert.deepEqual(await found(), [])
  })
})

onBothStores('the overview of two servers', (store) => {
  test('shows on one what was done at the other', async () => {
    await using app = await startConsole({ store })
    await using other = await startTestApp({ beside: app })
    await app.tenant('cats')
    assert.equal(figuresIn(await overviewOf(app)).get('Tenants'), '1')
    await other.tenant('dogs')
    assert.equal(figuresIn(await overviewOf(app)).get('Tenants'), '2')
    await other.call('PATCH', 'tenants/dogs', { limits: { SERVICE_MAX_USERS: '1' } })
    assert.equal(attentionIn(await overviewOf(app)).length, 1)
  })
})
