import assert from 'node:assert/strict'
import { test } from 'vitest'
import { onBothStores, startTestApp, type TestApp } from '../support/harness.ts'
import { startServers, times } from '../support/servers/several-servers.ts'
import {
  onSiteOf,
  picture,
  refusalOf,
  type Sending,
  set,
  type TestTenant,
  upload,
} from '../support/uploads.ts'

const once = (key: string) => ({ 'idempotency-key': key })

const filesOf = (app: TestApp, tenant: TestTenant) =>
  onSiteOf(app, tenant, ({ db }) => db.selectFrom('file').select('id').execute())

onBothStores('uploads with an Idempotency-Key', (store) => {
  test('32 equal uploads over all servers store one file, and all answers are equal', async () => {
    await using servers = await startServers(store)
    const { first: app, all } = servers
    const cats = await app.tenant('cats')
    const file = await picture({ seed: 1 })
    const answers = await Promise.all(
      times(32, async (index) => {
        const send = () => upload(all[index % all.length] ?? app, cats, { file, headers: once('one') })
        let answer = await send()
        // Where the machine takes more than the 10 s that a repetition waits, it is told to come again.
        while (answer.status === 409) answer = await send()
        return answer
      }),
    )
    assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
    assert.equal(answers.filter(({ headers }) => headers['idempotency-replayed'] === 'true').length, 31)
    assert.equal((await filesOf(app, cats)).length, 1)
  })

  test('another file, another parameter and another name are refused; another key stores again', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    const post = (key: string, sending: Sending = {}) =>
      upload(app, cats, { fields: { title: 'A cat' }, ...sending, headers: once(key) })
    const first = await post('one')
    assert.equal(first.status, 200, first.text)
    for (const other of [
      { file: await picture({ seed: 2 }) },
      { fields: { title: 'A dog' } },
      { fileName: 'dog.png' },
      { query: { format: 'txt' } },
    ]) {
      const refused = await post('one', other)
      assert.equal(refused.status, 422, refused.text)
    }
    const again = await post('one')
    assert.deepEqual([again.text, again.headers['idempotency-replayed']], [first.text, 'true'])
    assert.equal((await post('two')).status, 200)
    assert.equal((await filesOf(app, cats)).length, 2)
    app.wait(24 * 3_600 + 1)
    assert.notEqual((await post('one')).text, first.text)
  })

  test('every format is answered again as it was', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    for (const format of ['json', 'txt', 'redirect']) {
      const post = () => upload(app, cats, { query: { format }, headers: once(format) })
      const [first, again] = [await post(), await post()]
      assert.equal(again.headers['idempotency-replayed'], 'true')
      for (const header of ['content-type', 'location'])
        assert.equal(again.headers[header], first.headers[header])
      assert.deepEqual([again.status, again.text], [first.status, first.text])
    }
    assert.equal((await filesOf(app, cats)).length, 3)
  })

  test('a duplicate is answered again with the same delete link, and a refusal is not kept', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    await set(app, cats, { duplicates: 'reject' })
    await upload(app, cats)
    const post = () => upload(app, cats, { headers: once('one') })
    assert.deepEqual(refusalOf(await post()).slice(0, 2), [400, 101])
    await set(app, cats, { duplicates: 'existing' })
    const [first, again] = [await post(), await post()]
    assert.equal(first.status, 200, first.text)
    assert.equal(again.text, first.text)
    assert.equal((await filesOf(app, cats)).length, 1)
  })

  test('a key that is no text of 1 to 255 visible characters is refused', async () => {
    await using app = await startTestApp({ store })
    const cats = await app.tenant('cats')
    for (const key of ['', 'a b', 'x'.repeat(256)]) {
      const [status, number, message] = refusalOf(await upload(app, cats, { headers: once(key) }))
      assert.deepEqual([status, number], [400, 140])
      assert.match(String(message), /^Idempotency-Key: must be 1 to 255 visible ASCII characters/)
    }
    assert.equal((await filesOf(app, cats)).length, 0)
  })
})
