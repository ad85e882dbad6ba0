import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { startConsole } from '../support/console.ts'
import { onEachStore } from '../support/harness.ts'
import { jobRowOf } from '../support/jobs.ts'
import { onSiteOf, uploaded } from '../support/uploads.ts'
import { recordedWork, workEnded, workOf } from '../support/work.ts'

onEachStore('the console', (store) => {
  test('says which folder of backups it cannot read', async () => {
    await using app = await startConsole({ store })
    await writeFile(join(app.dataDir, 'backups'), 'a file')
    const page = await app.console.get('backups')
    assert.equal(page.status, 503)
    assert.match(page.text, /The folder of backups .*cannot be read/)
    const german = await app.console.get('backups', { 'accept-language': 'de' })
    assert.match(german.text, /Der Sicherungsordner kann nicht gelesen werden/)
  })

  test('takes a backup, verifies it, and names a file of which one byte was flipped', async () => {
    await using app = await startConsole({ store })
    const cats = await app.tenant('cats')
    const image = await uploaded(app, cats)
    expect((await app.console.get('backups')).text).toContain('No backups yet')

    const asked = await app.console.post('backups')
    assert.deepEqual([asked.status, asked.headers.location], [303, '/_/console/backups'])
    const [taken] = await workEnded(app)
    assert.equal(taken?.state, 'done', taken?.error ?? '')
    const name = taken?.target ?? ''
    const page = (await app.console.get('backups')).text
    assert.ok(page.includes(name) && page.includes('Not verified yet'), page)
    assert.match(page, /Folder|folder/)
    const folder = join(app.dataDir, 'backups', name)
    assert.deepEqual((await readdir(folder)).sort(), ['control', 'manifest.json', 'sites'])

    const verify = () => app.console.post(`backups/${name}/verify`)
    assert.equal((await verify()).status, 303)
    await workEnded(app)
    assert.match((await app.console.get('backups')).text, />Verified</)

    const files = await readdir(join(folder, 'sites'), { recursive: true, withFileTypes: true })
    const stored = files.find(
      (each) => each.isFile() && each.name.includes(image.id_encoded ?? '') && !/jsonl$/.test(each.name),
    )
    assert.ok(stored)
    const path = join(stored.parentPath, stored.name)
    const bytes = await readFile(path)
    bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1
    await writeFile(path, bytes)
    assert.equal((await verify()).status, 303)
    await workEnded(app)
    const damaged = (await app.console.get('backups')).text
    assert.doesNotMatch(damaged, />Verified</)
    assert.ok(damaged.includes(path.slice(folder.length + 1)), damaged)

    assert.deepEqual(await recordedWork(app), [
      `backup.started ${name} operator grace`,
      `backup.finished ${name} operator grace`,
      `backup.verified ${name} operator grace`,
      `backup.verified ${name} operator grace`,
    ])
    await writeFile(join(folder, 'manifest.json'), '{"manifest":{}}')
    assert.match((await app.console.get('backups')).text, /Not a complete backup/)
    await verify()
    await workEnded(app)
    assert.match((await app.console.get('backups')).text, /<li[^>]*>manifest\.json: /)
    for (const wrong of [
      'none',
      '..',
      '%2e%2e',
      '..%2fbackups',
      `${name}%2fsites`,
      `${name}%00`,
      '.',
      'a'.repeat(300),
    ])
      assert.equal((await app.console.post(`backups/${wrong}/verify`)).status, 404, wrong)
    assert.equal((await workOf(app)).length, 4)
  })

  test('runs the checks of the doctor and shows what they find', async () => {
    await using app = await startConsole({ store })
    const cats = await app.tenant('cats')
    const image = await uploaded(app, cats)
    expect((await app.console.get('health')).text).toContain('The checks haven’t run yet')
    assert.equal((await app.console.post('health/run')).headers.location, '/_/console/health')
    await workEnded(app)
    const sound = (await app.console.get('health')).text
    for (const check of ['versions', 'control-tables', 'encryption', 'bytes', 'audit', 'places'])
      assert.match(sound, new RegExp(`>${check}<`))

    await onSiteOf(app, cats, async (site) => {
      const [{ key = '' } = {}] = await site.storage.list('', undefined, 1)
      await site.storage.remove([key])
    })
    await app.console.post('health/run')
    await workEnded(app)
    const page = (await app.console.get('health')).text
    assert.match(page, /1 fault/)
    assert.match(page, /Findings/)
    assert.ok(page.includes('href="/_/console/tenants/cats"'), image.url)
    assert.deepEqual(await recordedWork(app), ['health.run operator grace', 'health.run operator grace'])
  })

  test('lists the jobs of tenants, shows why they fail, and runs what is due under the usual lease', async () => {
    await using app = await startConsole({ store })
    const cats = await app.tenant('cats')
    await app.tenant('dogs')
    await app.call('POST', 'tenants', { id: 'new', hostname: 'new.test', is_enabled: true })
    const image = await uploaded(app, cats, { fields: { expiration: 'PT5M' } })
    const { control } = app.app
    await control.store.control
      .updateTable('job')
      .set({ failures: 3, fault: 'The storage <is> full.' })
      .where('site', '=', (await jobRowOf(app, cats))?.site ?? -1)
      .execute()
    const all = (await app.console.get('jobs')).text
    for (const id of ['cats', 'dogs', 'new']) assert.ok(all.includes(`>${id}</a>`))
    assert.ok(all.includes('The storage &lt;is&gt; full.') && all.includes('Failed 3 times'), all)
    const failing = (await app.console.get('jobs?state=failing')).text
    assert.ok(failing.includes('>cats</a>') && !failing.includes('>dogs</a>'))
    const found = (await app.console.get('jobs?q=DOGS')).text
    assert.ok(found.includes('>dogs</a>') && !found.includes('>cats</a>'))
    assert.ok(!(await app.console.get('jobs?q=%25_%00')).text.includes('>cats</a>'))

    app.wait(6 * 60)
    const lease = (await jobRowOf(app, cats))?.token ?? 0
    const ran = await app.console.post('jobs/run', { tenant_id: 'cats' })
    assert.deepEqual([ran.status, ran.headers.location], [303, '/_/console/jobs?ran=cats'])
    const row = await jobRowOf(app, cats)
    assert.ok((row?.token ?? 0) > lease, 'a lease was taken')
    assert.deepEqual([row?.failures, row?.leasedUntil], [0, null])
    assert.equal((await app.call('GET', 'tenants/cats')).json.stats.files, 0, image.url)
    assert.equal((await app.console.post('jobs/run', { tenant_id: 'none' })).status, 404)
    assert.equal((await app.console.post('jobs/run', {})).status, 404)
    assert.equal((await app.console.post('jobs/run', { tenant_id: 'new' })).status, 409)
    assert.deepEqual(await recordedWork(app), ['job.run cats operator grace'])
  })

  test('leaves a site alone that another worker has', async () => {
    await using app = await startConsole({ store })
    const cats = await app.tenant('cats')
    await uploaded(app, cats, { fields: { expiration: 'PT5M' } })
    app.wait(6 * 60)
    const until = new Date(app.app.control.clock.now().getTime() + 60_000).toISOString()
    await app.app.control.store.control.updateTable('job').set({ leasedUntil: until }).execute()
    const { headers } = await app.console.post('jobs/run', { tenant_id: 'cats' })
    assert.equal(headers.location, '/_/console/jobs?busy=cats')
    assert.match((await app.console.get('jobs?busy=cats')).text, /The jobs of cats are already running/)
    assert.equal((await app.call('GET', 'tenants/cats')).json.stats.files, 1)
    assert.match((await app.console.get('jobs')).text, />Running</)
  })
})
