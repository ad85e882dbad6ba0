import assert from 'node:assert/strict'
import { test } from 'vitest'
import { createAlbum } from '../../src/media/index.ts'
import { assertHealthy } from '../support/doctor.ts'
import { type Answer, onEachStore, type StoreKind, startTestApp, type TestApp } from '../support/harness.ts'
import { askPage, visitAs } from '../support/pages.ts'
import { onSiteOf, picture, set, type TestTenant, uploaded, userWithKey } from '../support/uploads.ts'

const environment = { SERVICE_TRUSTED_PROXIES: '127.0.0.1' }
const statusOf = ({ status }: Answer) => status
const pathOf = (url: string) => new URL(url).pathname

/** What a guest sends from an address of its own. */
const send = (app: TestApp, cats: TestTenant, path: string, form: Record<string, string>, from = 1) =>
  askPage(app, cats, `POST ${path}/report`, { form, headers: { 'x-forwarded-for': `192.0.2.${from}` } })

const casesOn = (page: Answer) =>
  [...page.text.matchAll(/type="checkbox" name="file" value="([^"]+)"/g)].map(([, each = '']) => each)

const fieldIn = ({ text }: Answer, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''

/** Two files in the eyes of a manager: one that two visitors have reported, which hides it, and one that one has. */
async function startReports(store: StoreKind) {
  const app = await startTestApp({ store, environment })
  const cats = await app.tenant('cats')
  await set(app, cats, { report_hide: '2' })
  await userWithKey(app, cats, 'mona', 'manager')
  const { show, send: post } = await visitAs(app, cats, { login: 'mona', password: 'a long password' })
  assert.match((await show('/dashboard/reports')).text, /No reports/)
  assert.doesNotMatch((await show('/dashboard')).text, /reported/)
  const paths: string[] = []
  for (const seed of [1, 2]) {
    const file = await picture({ seed })
    paths.push(pathOf((await uploaded(app, cats, { file, fields: { title: `File ${seed}` } })).url_viewer))
  }
  const [often = '', once = ''] = paths
  await send(app, cats, often, { reason: 'abuse', text: '<script>alert(1)</script>' })
  await send(app, cats, often, { reason: 'abuse', text: '' }, 2)
  await send(app, cats, once, { reason: 'copyright', text: '' }, 3)
  const seen = async (path: string) => statusOf(await askPage(app, cats, `GET ${path}`))
  assert.deepEqual([await seen(often), await seen(once)], [404, 200])
  const decide = async (form: Record<string, string>) =>
    show((await post('/dashboard/reports', form)).headers.location ?? '')
  return {
    app,
    show,
    post,
    decide,
    often,
    once,
    seen,
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
}

onEachStore('the pages of reports', (store) => {
  test('a guest reports a file by a plain form; what is refused keeps its text', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const path = pathOf((await uploaded(app, cats, { fields: { title: '<b>Mia</b>' } })).url_viewer)
    assert.match((await askPage(app, cats, `GET ${path}`)).text, new RegExp(`href="${path}/report"`))
    const form = await askPage(app, cats, `GET ${path}/report`)
    assert.equal(form.status, 200)
    assert.match(form.text, /&lt;b&gt;Mia/)

    const unchosen = await send(app, cats, path, { reason: '', text: '<i>my</i> text' })
    assert.equal(unchosen.status, 400)
    assert.match(unchosen.text, /&lt;i&gt;my&lt;\/i&gt; text<\/textarea>/)
    assert.equal(statusOf(await send(app, cats, path, { reason: 'other', text: ' ' })), 400)
    assert.match(
      (await send(app, cats, path, { reason: 'spam', text: 'x'.repeat(1_001) })).text,
      /You entered 1,001/,
    )
    const sent = await send(app, cats, path, { reason: 'spam', text: '' })
    assert.deepEqual([sent.status, sent.headers.location], [303, `${path}/report?sent=1`])
    assert.match((await askPage(app, cats, `GET ${sent.headers.location}`)).text, /Thank you/)
    const twice = await send(app, cats, path, { reason: 'abuse', text: 'again' })
    assert.equal(twice.status, 409)
    assert.match(twice.text, /already reported[\s\S]*again<\/textarea>/)

    const elsewhere = { form: { reason: 'spam' }, headers: { 'sec-fetch-site': 'cross-site' } }
    assert.equal(statusOf(await askPage(app, cats, `POST ${path}/report`, elsewhere)), 403)
    const dogs = await app.tenant('dogs')
    assert.equal(statusOf(await askPage(app, dogs, `GET ${path}/report`)), 404)
    assert.equal(statusOf(await send(app, dogs, path, { reason: 'spam' })), 404)
  })

  test('a file of the own, and one that the reader does not see, have no form', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const owner = await visitAs(app, cats)
    const own = pathOf((await uploaded(app, cats)).url_viewer)
    assert.doesNotMatch((await owner.show(own)).text, /\/report"/)
    assert.equal(statusOf(await owner.show(`${own}/report`)), 403)
    assert.equal(statusOf(await owner.send(`${own}/report`, { reason: 'spam' })), 403)

    const inAlbum = async (privacy: 'private' | 'password') => {
      const { id } = await onSiteOf(app, cats, (site) =>
        createAlbum(site, {
          username: 'ada',
          title: privacy,
          privacy,
          ...(privacy === 'password' && { password: 'nine lives' }),
        }),
      )
      return pathOf((await uploaded(app, cats, { fields: { album_id: id } })).url_viewer)
    }
    const hidden = await inAlbum('private')
    assert.equal(statusOf(await askPage(app, cats, `GET ${hidden}/report`)), 404)
    assert.equal(statusOf(await send(app, cats, hidden, { reason: 'spam' })), 404)
    const locked = await inAlbum('password')
    for (const answer of [
      await askPage(app, cats, `GET ${locked}/report`),
      await send(app, cats, locked, { reason: 'spam' }),
    ])
      assert.deepEqual([answer.status, answer.headers.location], [303, locked])
    const opened = await askPage(app, cats, `POST ${locked}`, { form: { password: 'nine lives' } })
    const [cookie = ''] = (opened.headers['set-cookie'] ?? []).map((each) => each.split(';')[0] ?? '')
    const reported = await askPage(app, cats, `POST ${locked}/report`, { cookie, form: { reason: 'spam' } })
    assert.equal(reported.headers.location, `${locked}/report?sent=1`)
  })

  test('the staff sees who was reported for what, and no script of a visitor', async () => {
    await using reports = await startReports(store)
    const { show, often } = reports
    assert.match((await show('/dashboard')).text, /href="\/dashboard\/reports">2 files were reported/)
    const list = await show('/dashboard/reports')
    const [first = '', ...others] = casesOn(list)
    assert.equal(others.length, 1)
    assert.match(list.text, /2 reports/)
    assert.match(list.text, /Hate, harassment or violence × 2/)
    assert.match(list.text, /&lt;script&gt;alert\(1\)/)
    assert.match(list.text, new RegExp(`<img src="/dashboard/files/${first.split('.')[0]}/picture"`))
    assert.match(list.text, new RegExp(`href="${often}"`))
    for (const page of ['0', 'x', '100001'])
      assert.equal(statusOf(await show(`/dashboard/reports?page=${page}`)), 400)
    assert.match((await show('/dashboard/reports?page=2')).text, /No reports/)
  })

  test('the staff keeps a file, which shows it again, and takes that back', async () => {
    await using reports = await startReports(store)
    const { app, show, post, decide, often, once, seen } = reports
    const [first = '', second = ''] = casesOn(await show('/dashboard/reports'))
    const kept = await decide({ one: `keep ${first}` })
    assert.match(kept.text, /1 file kept\./)
    assert.deepEqual(casesOn(kept), [second])
    assert.equal(await seen(often), 200)
    await post('/dashboard/reports/undo', { did: 'keep', files: fieldIn(kept, 'files') })
    assert.equal(await seen(often), 404, 'its reports are open again')
    assert.equal(casesOn(await show('/dashboard/reports')).length, 2)

    // A file that one report has not hidden stays to be seen, whatever is kept and taken back.
    const visible = await decide({ one: `keep ${second}` })
    await post('/dashboard/reports/undo', { did: 'keep', files: fieldIn(visible, 'files') })
    assert.equal(await seen(once), 200)
    assert.equal(casesOn(await show('/dashboard/reports')).length, 2)
    await assertHealthy(app.app)
  })

  test('the staff moves a file to the trash, and takes that back', async () => {
    await using reports = await startReports(store)
    const { app, show, post, decide, once, seen } = reports
    const [, second = ''] = casesOn(await show('/dashboard/reports'))
    const removed = await decide({ action: 'trash', file: second })
    assert.match(removed.text, /1 file moved to trash\./)
    assert.equal(await seen(once), 404)
    assert.equal(casesOn(removed).length, 1)
    await post('/dashboard/reports/undo', { did: 'trash', files: fieldIn(removed, 'files') })
    assert.equal(await seen(once), 200)
    assert.equal(casesOn(await show('/dashboard/reports')).length, 2)
    await assertHealthy(app.app)
  })
})
