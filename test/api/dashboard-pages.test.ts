import assert from 'node:assert/strict'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { isRight, mayDo, type Role } from '../../src/accounts/index.ts'
import { dashboardParts } from '../../src/pages/dashboard/dashboard-parts.ts'
import { pageRoutes } from '../../src/pages/page-list.ts'
import { assertHealthy } from '../support/doctor.ts'
import { type Answer, onEachStore, startTestApp, type TestApp } from '../support/harness.ts'
import { ask5, keyOf, logIn } from '../support/media.ts'
import { askPage, tokenIn } from '../support/pages.ts'
import { limit, onSiteOf, set, type TestTenant, uploaded, userWithKey } from '../support/uploads.ts'

const dashboardPages = pageRoutes.filter(({ path }) => path.startsWith('/dashboard'))
const password = 'a long password'
const statusOf = ({ status }: Answer) => status

/** A member of the staff in front of the pages. */
async function staff(app: TestApp, cats: TestTenant, login = 'ada') {
  const { headers } = await logIn(app, cats, { login, password })
  const cookie = headers.cookie ?? ''
  const get = (path: string) => askPage(app, cats, `GET ${path}`, { cookie })
  const csrf = tokenIn(await get('/settings'))
  const post = (path: string, form: Record<string, string>) =>
    askPage(app, cats, `POST ${path}`, { cookie, form: { csrf, ...form } })
  return { cookie, get, post }
}

async function personOf(app: TestApp, cats: TestTenant, username: string, role: Role = 'user') {
  const { userId } = await userWithKey(app, cats, username, role)
  return userId
}

/** What stands in a hidden field of a page. */
const fieldIn = ({ text }: Answer, name: string) =>
  new RegExp(`name="${name}" value="([^"]*)"`).exec(text)?.[1] ?? ''

const waitingOn = (page: Answer) =>
  [...page.text.matchAll(/type="checkbox" name="file" value="([^"]+)"/g)].map(([, each = '']) => each)

onEachStore('the dashboard', (store) => {
  test('opens its pages for the roles in the list of pages, and leads guests to the log-in', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    for (const [name, role] of [
      ['mona', 'manager'],
      ['ulla', 'user'],
    ] as const)
      await personOf(app, cats, name, role)
    const readers = {
      admin: await staff(app, cats),
      manager: await staff(app, cats, 'mona'),
      user: await staff(app, cats, 'ulla'),
    }
    for (const { method, path, access } of dashboardPages) {
      const at = path.replace('{id}', 'none')
      const guest = await askPage(app, cats, `${method} ${at}`, method === 'POST' ? { form: {} } : {})
      assert.deepEqual([guest.status, guest.headers.location?.startsWith('/login?to=')], [302, true], at)
      for (const [role, { get, post }] of Object.entries(readers)) {
        const answer = method === 'GET' ? await get(at) : await post(at, { csrf: 'wrong' })
        const mayOpen = isRight(access) && mayDo(role as Role, access)
        // With a wrong form token nothing is changed, whatever the role.
        const isRefused = answer.status === 403
        assert.equal(isRefused, method === 'POST' || !mayOpen, `${role} ${method} ${at}: ${answer.status}`)
        assert.ok(answer.status < 500)
      }
    }
    const managers = (await readers.manager.get('/dashboard')).text
    for (const { path, access } of dashboardParts) {
      const route = dashboardPages.find((page) => page.method === 'GET' && page.path === path)
      assert.equal(route?.access, access, path)
      assert.equal(managers.includes(`href="${path}"`), mayDo('manager', access), path)
    }
    assert.doesNotMatch((await readers.user.get('/settings')).text, /href="\/dashboard"/)
  })

  describe('the queue of files that wait', () => {
    let app: TestApp
    beforeAll(async () => {
      app = await startTestApp({ store })
    })
    afterAll(() => app?.[Symbol.asyncDispose]())

    /** A site for one test, with two or three files that wait. */
    async function openQueue(id: string, titles = ['one', 'two']) {
      const tenant = await app.tenant(id)
      const { get, post } = await staff(app, tenant)
      assert.match((await get('/dashboard/queue')).text, /Uploads appear immediately/)
      assert.equal(statusOf(await post('/dashboard/queue/moderation', { moderation: 'all' })), 303)
      const { key } = await userWithKey(app, tenant, 'ulla', 'user')
      for (const title of titles) await uploaded(app, tenant, { key, fields: { title } })
      const queue = await get('/dashboard/queue')
      const [first = '', second = ''] = waitingOn(queue)
      const follow = async (path: string, form: Record<string, string>) =>
        get((await post(path, form)).headers.location ?? '')
      return { tenant, get, post, follow, queue, first, second }
    }

    test('shows titles as text, and each picture to the staff only', async () => {
      const { tenant, get, queue, first } = await openQueue('shown', ['one', '<i>two</i>', 'three'])
      assert.match(queue.text, /&lt;i&gt;two/)
      assert.doesNotMatch(queue.text, /<i>two/)
      assert.match((await get('/dashboard')).text, /3 files are waiting/)
      const path = `/dashboard/files/${first.split('.')[0]}/picture`
      assert.match(queue.text, new RegExp(`<img src="${path}"`))
      const { status, headers } = await get(path)
      assert.deepEqual([status, headers['cache-control']], [200, 'private, no-store'])
      assert.match(headers['content-type'] ?? '', /^image\/(jpeg|png|webp)$/)
      assert.equal(statusOf(await askPage(app, tenant, `GET ${path}`)), 302)
    })

    test('approves a file, and Undo puts it back', async () => {
      const { get, follow, first, second } = await openQueue('approved')
      const after = await follow('/dashboard/queue', { one: `approve ${first}` })
      assert.match(after.text, /1 file approved\./)
      assert.deepEqual(waitingOn(after), [second])
      const undo = { did: fieldIn(after, 'did'), files: fieldIn(after, 'files') }
      assert.match((await follow('/dashboard/queue/undo', undo)).text, /Undone for 1 file\./)
      assert.equal(waitingOn(await get('/dashboard/queue')).length, 2)
      // The version has changed twice since the page was shown.
      const late = await follow('/dashboard/queue', { one: `approve ${first}` })
      assert.match(late.text, /1 file was changed in the meantime/)
    })

    test('moves a rejected file to the trash, and Undo puts it back', async () => {
      const { get, post, follow, first } = await openQueue('rejected')
      const rejected = await follow('/dashboard/queue', { action: 'reject', file: first })
      assert.match(rejected.text, /1 file rejected\./)
      assert.equal(waitingOn(await get('/dashboard/files?show=trash')).length, 1)
      await post('/dashboard/queue/undo', { did: 'reject', files: fieldIn(rejected, 'files') })
      assert.equal(waitingOn(await get('/dashboard/queue')).length, 2)
      await assertHealthy(app.app)
    })

    test('refuses forms without files and with unknown values', async () => {
      const { tenant, post, follow, first } = await openQueue('refused')
      assert.match((await follow('/dashboard/queue', { action: 'approve' })).text, /Select at least one/)
      const forms: Record<string, string>[] = [
        { action: 'remove', file: first },
        { action: 'approve', file: `${first}x` },
        { one: 'hold x' },
      ]
      for (const form of forms) assert.equal(statusOf(await post('/dashboard/queue', form)), 400)
      assert.equal(statusOf(await post('/dashboard/queue/moderation', { moderation: 'some' })), 400)
      const key = await keyOf(app, tenant, 'admin')
      const body = { action: 'hold', ids: [first.split('.')[0]] }
      assert.equal(statusOf(await ask5(app, tenant, 'POST files/bulk', { key, body })), 400)
    })
  })

  test('searches, sorts, filters and trashes the files of all users', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { get, post } = await staff(app, cats)
    const { key } = await userWithKey(app, cats, 'ulla', 'user')
    await uploaded(app, cats, { key, fields: { title: 'harbour' } })
    await uploaded(app, cats, { fields: { title: 'forest' } })
    assert.equal(waitingOn(await get('/dashboard/files')).length, 2)
    for (const [query, count] of [
      ['q=harbour', 1],
      ['user=ulla', 1],
      ['user=none', 0],
      ['show=videos', 0],
      ['show=images&sort=size', 2],
      ['q=x%00', 0],
    ] as const)
      assert.equal(waitingOn(await get(`/dashboard/files?${query}`)).length, count, query)
    const [file = ''] = waitingOn(await get('/dashboard/files?q=forest'))
    const done = await get(
      (await post('/dashboard/files', { action: 'trash', file, show: 'images' })).headers.location ?? '',
    )
    assert.match(done.text, /1 file moved to trash\./)
    assert.equal(waitingOn(done).length, 1)
    await post('/dashboard/files/undo', { did: 'trash', files: fieldIn(done, 'files') })
    assert.equal(waitingOn(await get('/dashboard/files')).length, 2)
    for (const query of ['sort=views&after=x', 'sort=size&after=a~b', 'files=x&did=trash'])
      assert.ok(statusOf(await get(`/dashboard/files?${query}`)) <= 400, query)
  })

  describe('the users', () => {
    let app: TestApp
    beforeAll(async () => {
      app = await startTestApp({ store })
    })
    afterAll(() => app?.[Symbol.asyncDispose]())

    const bobby = { username: 'bobby', email: 'bob@example.com', password, role: 'user' }

    /** A site for one test, with the user bobby and the forms of the page about bobby. */
    async function openUsers(id: string) {
      const tenant = await app.tenant(id)
      const { get, post } = await staff(app, tenant)
      const made = await post('/dashboard/users/new', bobby)
      const path = (made.headers.location ?? '').split('?')[0] ?? ''
      assert.match(path, /^\/dashboard\/users\/\w+$/)
      const change = async (verb: string, form: Record<string, string>) =>
        post(`${path}/${verb}`, { version: fieldIn(await get(path), 'version'), ...form })
      return { tenant, get, post, path, change }
    }

    test('are found by name and address, and sorted', async () => {
      const { get } = await openUsers('found')
      for (const query of ['q=BOB', 'q=bob%40', 'sort=name', 'sort=files', 'sort=storage', 'q=%00'])
        assert.equal(/bobby/.test((await get(`/dashboard/users?${query}`)).text), query !== 'q=%00', query)
      assert.equal(statusOf(await get('/dashboard/users?page=0')), 400)
    })

    test('are not created from a form with a fault, which keeps its values', async () => {
      const { post } = await openUsers('created')
      const refused = await post('/dashboard/users/new', { ...bobby, username: 'b' })
      assert.equal(refused.status, 400)
      assert.match(refused.text, /Use 3 to 32/)
      assert.match(refused.text, /value="bob@example.com"/)
    })

    test('get another role, or a ban that can be lifted', async () => {
      const { get, post, path, change } = await openUsers('changed')
      assert.equal(statusOf(await change('role', { role: 'manager' })), 303)
      const late = await post(`${path}/role`, { role: 'user', version: '1' })
      assert.equal(late.status, 412)
      assert.match(late.text, /was changed in the meantime/)
      assert.equal(statusOf(await change('role', { role: 'king' })), 400)
      assert.equal(statusOf(await change('ban', { ban: '1' })), 303)
      assert.match((await get('/dashboard/users')).text, /Banned/)
      assert.equal(statusOf(await change('ban', { ban: '0' })), 303)
    })

    test('get a new password that is shown once', async () => {
      const { tenant, change } = await openUsers('passwords')
      const shown = await change('password', { by: 'shown' })
      assert.deepEqual([shown.status, shown.headers['cache-control']], [200, 'no-store'])
      const [, given = ''] = /id="new-password"[^>]*value="([^"]+)"/.exec(shown.text) ?? []
      await logIn(app, tenant, { login: 'bobby', password: given })
      assert.equal(statusOf(await change('password', { by: 'mail' })), 400)
    })

    test('include an administrator: the last one cannot be changed or deleted', async () => {
      const { get, post } = await openUsers('last')
      const [own = ''] =
        /\/dashboard\/users\/\w+(?=" dir="auto">ada)/.exec((await get('/dashboard/users')).text) ?? []
      const version = fieldIn(await get(own), 'version')
      const forms: [string, Record<string, string>][] = [
        ['role', { role: 'user' }],
        ['ban', { ban: '1' }],
        ['delete', { files: 'keep', confirm: 'ada' }],
      ]
      for (const [verb, form] of forms) {
        const refused = await post(`${own}/${verb}`, { version, ...form })
        assert.equal(refused.status, 409, verb)
        assert.match(refused.text, /last active administrator/)
      }
    })

    test('are deleted after their name is typed and an heir is chosen', async () => {
      const { get, path, change } = await openUsers('deleted')
      assert.match((await change('delete', { files: 'keep', confirm: 'bob' })).text, /exactly as shown/)
      const unknown = await change('delete', { files: 'give', heir: 'none', confirm: 'bobby' })
      assert.match(unknown.text, /no user with this name/)
      const deleted = await change('delete', { files: 'give', heir: 'ada', confirm: 'bobby' })
      assert.equal(deleted.headers.location, '/dashboard/users?deleted=1')
      assert.equal(statusOf(await get(path)), 404)
      await assertHealthy(app.app)
    })
  })

  test('managers see and ban only users of the role user', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const ulla = await personOf(app, cats, 'ulla')
    const other = await personOf(app, cats, 'mara', 'manager')
    await personOf(app, cats, 'mona', 'manager')
    const { get, post } = await staff(app, cats, 'mona')
    const list = (await get('/dashboard/users')).text
    assert.deepEqual([/ulla/.test(list), />mara</.test(list), />ada</.test(list)], [true, false, false])
    assert.doesNotMatch((await get(`/dashboard/users/${ulla}`)).text, /\/(role|password|delete)"/)
    assert.equal(statusOf(await get(`/dashboard/users/${other}`)), 404)
    assert.equal(statusOf(await post(`/dashboard/users/${other}/ban`, { ban: '1', version: '1' })), 404)
    assert.equal(statusOf(await post(`/dashboard/users/${ulla}/ban`, { ban: '1', version: '1' })), 303)
    assert.match((await get('/dashboard/users')).text, /Banned/)
  })

  test('creates, renames and deletes categories; renames, merges and deletes tags', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const { get, post } = await staff(app, cats)
    assert.match((await get('/dashboard/categories')).text, /Create the first one/)
    await post('/dashboard/categories', { name: '<b>Sea</b>' })
    const taken = await post('/dashboard/categories', { name: '<b>Sea</b>' })
    assert.deepEqual([taken.status, /already/.test(taken.text)], [409, true])
    assert.equal(statusOf(await post('/dashboard/categories', { name: ' ' })), 400)
    assert.match((await get('/dashboard/categories')).text, /&lt;b&gt;Sea&lt;\/b&gt;/)
    assert.equal(statusOf(await post('/dashboard/categories/1/rename', { key: '1', name: 'Coast' })), 303)
    assert.match((await get('/dashboard/categories')).text, />Coast</)
    assert.equal(statusOf(await post('/dashboard/categories/1/delete', {})), 303)
    assert.equal(statusOf(await post('/dashboard/categories/1/delete', {})), 404)

    await uploaded(app, cats, { fields: { tags: 'boat, ship, "quote' } })
    assert.equal(statusOf(await post('/dashboard/tags/rename', { key: 'boat', name: 'ship' })), 303)
    const tags = (await get('/dashboard/tags')).text
    assert.deepEqual(
      [/>boat</.test(tags), />ship</.test(tags), /&quot;quote/.test(tags)],
      [false, true, true],
    )
    assert.equal(statusOf(await post('/dashboard/tags/rename', { key: 'ship', name: 'a,b' })), 400)
    assert.equal(statusOf(await post('/dashboard/tags/delete', { key: 'ship' })), 303)
    assert.equal(statusOf(await post('/dashboard/tags/delete', { key: 'ship' })), 404)
    const key = await keyOf(app, cats, 'admin')
    assert.equal((await ask5(app, cats, 'GET tags?q=sh', { key })).json.data.length, 0)
    await assertHealthy(app.app)
  })
})

test('the dashboard shows nothing of another site, and meters only for limits', async () => {
  await using app = await startTestApp()
  const [cats, dogs] = [await app.tenant('cats'), await app.tenant('dogs')]
  await limit(app, dogs, { SERVICE_MAX_FILES: '10' })
  await set(app, cats, { moderation: 'all' })
  await personOf(app, cats, 'ulla')
  const { get } = await staff(app, cats)
  const others = await staff(app, dogs)
  assert.doesNotMatch((await others.get('/dashboard/users')).text, /ulla/)
  assert.doesNotMatch((await get('/dashboard')).text, /<meter/)
  assert.match((await others.get('/dashboard')).text, /<meter class="meter" aria-label="Files"/)
  const { userId } = await onSiteOf(app, cats, (site) =>
    site.db
      .selectFrom('user')
      .select('id as userId')
      .where('username', '=', 'ulla')
      .executeTakeFirstOrThrow(),
  )
  assert.equal(statusOf(await others.get(`/dashboard/users/${userId}`)), 404)
})
