import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'vitest'
import { isRight, mayDo, type Right, type Role, rights } from '../../src/accounts/index.ts'
import { pageRoutes } from '../../src/pages/page-list.ts'
import { mediaRoutes } from '../../src/routes.ts'
import { onEachStore, startTestApp } from '../support/harness.ts'
import { ask5, problem } from '../support/media.ts'
import { visitAs } from '../support/pages.ts'
import { userWithKey } from '../support/uploads.ts'

const environment = { SERVICE_RATE_READS: '0', SERVICE_RATE_WRITES: '0', SERVICE_RATE_SEARCH: '0' }
const roles: readonly Role[] = ['user', 'manager', 'admin']

/** By the contract: managers see and moderate, administrators rule the site. */
const ofManagers: readonly Right[] = [
  'see-statistics',
  'moderate-files',
  'see-albums',
  'manage-tags',
  'manage-categories',
  'ban-users',
] as const

onEachStore('the table of roles', (store) => {
  test('each role may do by page what it may do by API', async () => {
    await using app = await startTestApp({ store, environment })
    const cats = await app.tenant('cats')
    const nothing = 'Zk3Qm8vTxLw2'
    const used = new Set<Right>()
    for (const role of roles) {
      await userWithKey(app, cats, `a-${role}`, role)
      const here = await visitAs(app, cats, { login: `a-${role}`, password: 'a long password' })
      for (const { method, path, access, hasOwnBody } of pageRoutes) {
        if (!isRight(access) || hasOwnBody) continue
        used.add(access)
        const at = path.replaceAll(/\{\w+\}/g, nothing)
        const { status, text } = method === 'GET' ? await here.show(at) : await here.send(at, {})
        assert.equal(status === 403, !mayDo(role, access), `${role} ${method} ${path}: ${status} ${text}`)
      }
      for (const { method, path, endpoint } of mediaRoutes) {
        if (!isRight(endpoint.access)) continue
        const call = `${method} ${path.replace('/api/5/', '').replaceAll(/\{\w+\}/g, nothing)}`
        const headers = { cookie: here.cookie, 'sec-fetch-site': 'same-origin' }
        const answer = await ask5(app, cats, call, { body: endpoint.bodyExample, headers })
        const mayCall = mayDo(role, endpoint.access)
        assert.equal(answer.status === 403, !mayCall, `${role} ${call}: ${answer.text}`)
        if (!mayCall) assert.match(problem(answer)[1], /^(scope-missing|forbidden)$/)
      }
    }
    assert.deepEqual([...used].toSorted(), rights.toSorted())
  })

  test('managers rename a tag and make a category by page as by API', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await userWithKey(app, cats, 'mia', 'manager')
    const mia = await visitAs(app, cats, { login: 'mia', password: 'a long password' })
    const headers = { cookie: mia.cookie, 'sec-fetch-site': 'same-origin' }
    const byApi = await ask5(app, cats, 'POST categories', { body: { name: 'Cats' }, headers })
    const byPage = await mia.send('/dashboard/categories', { name: 'Dogs' })
    assert.deepEqual([byApi.status, byPage.status], [201, 303], byPage.text)
    const { data } = (await ask5(app, cats, 'GET categories', { headers })).json
    assert.deepEqual(data.map(({ name }: any) => name).toSorted(), ['Cats', 'Dogs'])
    assert.match((await mia.show('/dashboard')).text, /href="\/dashboard\/tags"/)
  })
})

test('the document has the same table', async () => {
  assert.deepEqual(rights.filter((right) => mayDo('manager', right)).toSorted(), ofManagers.toSorted())
  const text = await readFile(new URL('../../docs/pages.md', import.meta.url), 'utf8')
  const rows = [...text.matchAll(/^\| `([\w-]+)` \|.*\| (yes|no) \| (yes|no) \|$/gm)]
  const written = Object.fromEntries(
    rows.map(([, right = '', admin, manager]) => [right, { admin, manager }]),
  )
  const word = (isAllowed: boolean) => (isAllowed ? 'yes' : 'no')
  const expected = rights.map((right) => [
    right,
    { admin: word(mayDo('admin', right)), manager: word(mayDo('manager', right)) },
  ])
  assert.deepEqual(written, Object.fromEntries(expected))
})
