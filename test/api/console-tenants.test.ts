import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import { startConsole, type TestConsole } from '../support/console.ts'
import { markupStrings } from '../support/fixtures/markup-strings.ts'
import { onEachStore } from '../support/harness.ts'
import { uploaded } from '../support/uploads.ts'

/** The ids of the rows, in order. */
const idsIn = (page: string) =>
  [...page.matchAll(/role="rowheader"><a href="\/_\/console\/tenants\/([^"]+)"/g)].map(([, id = '']) => id)

const countIn = (page: string) => /id="tenant-count" role="status">([^<]*)</.exec(page)?.[1]

async function withTenants(app: TestConsole): Promise<void> {
  await app.call('POST', 'tenants-plans', { id: 'small', limits: { SERVICE_MAX_STORAGE: '1M' } })
  await app.call('POST', 'tenants', {
    id: 'Ants',
    hostname: 'zoo.example.com',
    is_enabled: true,
    plan_id: 'small',
  })
  await app.call('POST', 'tenants', { id: 'bees', hostname: 'hive.example.com', is_enabled: false })
  await app.tenant('cats')
}

onEachStore('the list of tenants', (store) => {
  test('is filtered by text, state and plan, and tells how many were found', async () => {
    await using app = await startConsole({ store })
    await withTenants(app)
    const found = async (query: string) => {
      const { status, text } = await app.console.get(`tenants${query}`)
      assert.equal(status, 200)
      return [idsIn(text).join(' '), countIn(text)]
    }
    assert.deepEqual(await found(''), ['Ants bees cats', '3 tenants'])
    assert.deepEqual(await found('?q=ANT'), ['Ants', '1 tenant'])
    assert.deepEqual(await found('?q=Hive.example'), ['bees', '1 tenant'])
    assert.deepEqual(await found('?q=no+such'), ['', '0 tenants'])
    assert.deepEqual(await found('?state=enabled'), ['Ants cats', '2 tenants'])
    assert.deepEqual(await found('?state=disabled'), ['bees', '1 tenant'])
    assert.deepEqual(await found('?state=not-installed'), ['Ants bees', '2 tenants'])
    assert.deepEqual(await found('?plan=small'), ['Ants', '1 tenant'])
    assert.deepEqual(await found('?plan=small&state=disabled'), ['', '0 tenants'])
  })

  test('is sorted by the links of its heads, which say how it is sorted', async () => {
    await using app = await startConsole({ store })
    await withTenants(app)
    await uploaded(app, await app.tenant('dogs'))
    const orders = {
      hostname: 'cats dogs bees Ants',
      '-hostname': 'Ants bees dogs cats',
      plan: 'bees cats dogs Ants',
      files: 'Ants bees cats dogs',
      '-files': 'dogs cats bees Ants',
      '-storage': 'dogs cats bees Ants',
      '-id': 'dogs cats bees Ants',
    }
    for (const [sort, order] of Object.entries(orders)) {
      const { text } = await app.console.get(`tenants?sort=${sort}`)
      assert.equal(idsIn(text).join(' '), order, sort)
      const direction = sort.startsWith('-') ? 'descending' : 'ascending'
      assert.equal([...text.matchAll(/aria-sort="(\w+)"/g)].map(([, each]) => each).join(), direction)
    }
    const { text } = await app.console.get('tenants?q=e&sort=files')
    // Pressed again, a head turns its order round; another keeps what is found.
    assert.match(text, /aria-sort="ascending"><a href="[^"]*q=e&amp;sort=-files">Files/)
    assert.match(text, /<a href="[^"]*q=e&amp;sort=hostname">Hostname/)
  })

  test('shows each change with the next request, in every order that was read before', async () => {
    await using app = await startConsole({ store })
    await withTenants(app)
    const read = async (sort: string) => idsIn((await app.console.get(`tenants?sort=${sort}`)).text).join(' ')
    assert.deepEqual([await read('hostname'), await read('-files')], ['cats bees Ants', 'cats bees Ants'])
    await app.call('PATCH', 'tenants/Ants', { hostname: 'aaa.example.com' })
    await app.call('POST', 'tenants', { id: 'deer', hostname: 'bbb.example.com', is_enabled: true })
    await app.call('DELETE', 'tenants/bees', { drop_tables: true })
    const cats = await app.call('GET', 'tenants/cats')
    assert.equal(cats.status, 200)
    assert.equal(await read('hostname'), 'Ants deer cats')
    await uploaded(app, await app.tenant('eels'))
    assert.equal(await read('-files'), 'eels deer cats Ants')
  })

  test('shows the storage limit with the level that it comes from, and seven days of uploads', async () => {
    await using app = await startConsole({ store })
    await withTenants(app)
    await uploaded(app, await app.tenant('dogs'))
    await app.call('PATCH', 'tenants/cats', { env: { SERVICE_MAX_STORAGE: '5M' } })
    const row = async (id: string) => {
      const { text } = await app.console.get(`tenants?q=${id}`)
      return text.slice(text.indexOf('<tr', text.indexOf('<tbody')), text.indexOf('</tbody>'))
    }
    expect(await row('ants')).toContain('0 B of 1 MB <small>plan</small>')
    await app.call('PATCH', 'tenants/dogs', { limits: { SERVICE_MAX_STORAGE: '1K' } })
    expect(await row('dogs')).toMatch(/aria-label="Storage" max="100" value="\d+" low="75" high="90"/)
    expect((await row('dogs')).length, 'fifty rows and the frame have 60 KB').toBeLessThan(1_000)
    expect(await row('cats')).toContain('of 5 MB <small>tenant (env)</small>')
    expect(await row('bees')).not.toMatch(/<small>|<meter/)
    await app.call('PATCH', 'tenants-plans/small', { limits: { SERVICE_MAX_STORAGE: '2M' } })
    expect(await row('ants')).toContain('of 2 MB')
    expect(await row('dogs')).toContain('aria-label="Uploads of the last 7 days: 0, 0, 0, 0, 0, 0, 1"')
    app.wait(26 * 60 * 60)
    // Sessions end after eight hours.
    const tomorrow = await app.operator('viewer')
    expect((await tomorrow.get('tenants?q=dogs')).text).toContain(
      'aria-label="Uploads of the last 7 days: 0, 0, 0, 0, 0, 1, 0"',
    )
  })
})

test('a list of more than fifty has pages, and the CSV has all of them in the same order', async () => {
  await using app = await startConsole()
  for (let number = 0; number < 52; number += 1) {
    const id = `t${String(number).padStart(2, '0')}`
    const limits = { SERVICE_MAX_STORAGE: '5G' }
    await app.call('POST', 'tenants', {
      id,
      hostname: `${id}.example.com`,
      is_enabled: number % 2 === 0,
      limits,
    })
  }
  const first = await app.console.get('tenants?sort=-id')
  assert.deepEqual([idsIn(first.text).length, idsIn(first.text)[0]], [50, 't51'])
  assert.ok(Buffer.byteLength(first.text) < 60_000, `${Buffer.byteLength(first.text)} bytes`)
  const [, next = ''] = /href="\/_\/console\/([^"]*)"[^>]*rel="next"/.exec(first.text) ?? []
  assert.equal(next, 'tenants?sort=-id&amp;page=2')
  const second = await app.console.get(next.replaceAll('&amp;', '&'))
  assert.deepEqual(idsIn(second.text), ['t01', 't00'])
  assert.doesNotMatch(second.text, /rel="next"/)
  assert.deepEqual([/Page 1 of 2</.test(first.text), /Page 2 of 2</.test(second.text)], [true, true])
  // Tenants may have gone meanwhile: the last page is shown.
  assert.deepEqual(idsIn((await app.console.get('tenants?page=99')).text), ['t50', 't51'])

  const csv = await app.console.get('tenants.csv?sort=-id&state=enabled')
  assert.equal(csv.headers['content-type'], 'text/csv; charset=utf-8')
  assert.match(String(csv.headers['content-disposition']), /^attachment; filename="tenants.csv"$/)
  const lines = csv.text.split('\r\n')
  assert.equal(
    lines[0],
    'id,hostname,is_enabled,is_installed,plan_id,files,storage_used,users,created_at,last_job_at',
  )
  assert.equal(lines.length, 1 + 26 + 1)
  const created = (await app.call('GET', 'tenants/t50')).json.created_at
  assert.equal(lines[1], `t50,t50.example.com,true,false,,0,0,0,${created},`)
})

test('without tenants the list offers the first step and no filter, and a viewer sees no form that changes something', async () => {
  await using app = await startConsole()
  const empty = await app.console.get('tenants')
  assert.match(empty.text, /No tenants yet/)
  assert.match(empty.text, /href="\/_\/console\/tenants\/new"/)
  for (const { text } of [empty, await app.console.get('jobs')]) assert.doesNotMatch(text, /data-filter|csv/)
  await withTenants(app)
  const viewer = await app.operator('viewer')
  const { text } = await viewer.get('tenants')
  assert.deepEqual(idsIn(text), ['Ants', 'bees', 'cats'])
  assert.doesNotMatch(text, /type="checkbox" name="id"|tenants\/bulk|tenants\/new/)
})

test('a faulty query is refused with the name of the field', async () => {
  await using app = await startConsole()
  for (const query of ['sort=size', 'sort=--id', 'state=gone', 'page=0', 'page=x', `q=${'x'.repeat(201)}`]) {
    const { status, text } = await app.console.get(`tenants?${query}`, { accept: 'application/json' })
    assert.deepEqual([status, text.includes(`${query.split('=')[0]}: must`)], [400, true], text)
  }
  assert.equal((await app.console.get('tenants?plan=%00&q=%00')).status, 200)
})

test('what stands in an address is shown as text, on every page that shows it', async () => {
  await using app = await startConsole()
  await withTenants(app)
  // The others are harmless between double quotes.
  for (const text of markupStrings.filter((each) => /[<>"]/.test(each))) {
    const query = new URLSearchParams({ q: text, plan: text, user: text })
    for (const path of ['tenants', 'tenants/cats', 'find']) {
      const page = await app.console.get(`${path}?${query}`)
      assert.equal(page.status, 200, path)
      assert.ok(!page.text.includes(text), `${path}: ${text}`)
    }
    const refused = await app.console.post('tenants', {
      id: text,
      hostname: text,
      plan_id: text,
      email: text,
    })
    assert.equal(refused.status, 400)
    assert.ok(!refused.text.includes(text), text)
  }
})
