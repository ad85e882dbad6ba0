import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { startPostgresProxy } from '../support/faults/postgres-proxy.ts'
import { startTestApp } from '../support/harness.ts'
import { picture, statsOf, storedBytes, upload, uploaded } from '../support/uploads.ts'

for (const cut of ['before', 'after'] as const) {
  const when = cut === 'before' ? 'before it arrives' : 'and its answer is lost'
  test(`an upload whose connection is cut at any message, ${when}, is there and counted when it is acknowledged, and else not`, async () => {
    await using proxied = await behindProxy()
    const { app, proxy, cats } = proxied
    const answers: number[] = []
    let stored = 0
    for (let number = 1, isCut = true; isCut; number += 1) {
      const file = await picture({ width: 30, height: 20, seed: number })
      const order = proxy.cutAt(number, cut)
      const { status, headers, json, text } = await upload(app, cats, { file })
      isCut = order.end()
      answers.push(status)
      if (status === 200) {
        stored += 1
        assert.ok((await storedBytes(app, cats, json.image.url))?.equals(file))
      } else {
        assert.deepEqual([status, json?.error.code], [503, 900], text)
        assert.match(String(headers['retry-after']), /^\d+$/)
      }
      assert.equal((await statsOf(app, cats)).files, stored, `cut at message ${number}: ${status}`)
    }
    assert.ok(answers.length > 10, `only ${answers.length} messages`)
    assert.ok(answers.includes(503))
    assert.equal(answers.at(-1), 200)
    await app.app.control.store.check()
  })

  test(`a delete link whose connection is cut at any message, ${when}, has deleted when it says so, and else may be followed again`, async () => {
    await using proxied = await behindProxy()
    const { app, proxy, cats } = proxied
    for (let number = 1, isCut = true; isCut; number += 1) {
      const image = await uploaded(app, cats, {
        file: await picture({ width: 30, height: 20, seed: number }),
      })
      const order = proxy.cutAt(number, cut)
      const { status, text } = await ask(app, image.delete_url)
      isCut = order.end()
      if (status !== 200) {
        assert.equal(status, 503, text)
        assert.equal((await ask(app, image.url)).status, 200)
        assert.equal((await ask(app, image.delete_url)).status, 200)
      }
      assert.equal((await ask(app, image.url)).status, 404)
      assert.equal((await statsOf(app, cats)).files, 0)
    }
  })
}

async function behindProxy() {
  await using undo = new AsyncDisposableStack()
  const first = undo.use(await startTestApp({ store: 'postgres' }))
  const proxy = undo.use(await startPostgresProxy(String(first.environment.SERVICE_DATABASE_URL)))
  const environment = { SERVICE_DATABASE_URL: proxy.url }
  const app = undo.use(await startTestApp({ beside: first, environment }))
  const cats = await first.tenant('cats')
  await uploaded(app, cats).then((image) => ask(app, image.delete_url))
  const all = undo.move()
  return { app, proxy, cats, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
