import assert from 'node:assert/strict'
import { test } from 'vitest'
import { ask } from '../support/delivered.ts'
import { manyFiles } from '../support/fixtures/many-files.ts'
import { startTestApp } from '../support/harness.ts'
import { onSiteOf, set } from '../support/uploads.ts'

test('a page of sixty photographs, each in two widths, has at most 36,000 bytes', async () => {
  await using app = await startTestApp()
  const cats = await app.tenant('cats')
  await set(app, cats, { listing: 'public' })
  await manyFiles(app, cats, 70)
  await onSiteOf(app, cats, ({ db }) =>
    db.updateTable('file').set({ width: 3_000, height: 2_000, sizeBytes: 4_000_000 }).execute(),
  )
  const { text } = await ask(app, `http://${cats.hostname}:${app.port}/explore`, { accept: 'text/html' })
  assert.equal(text.match(/ 500w, \S+ 960w" src=/g)?.length, 60)
  assert.ok(Buffer.byteLength(text) <= 36_000, `${Buffer.byteLength(text)} bytes`)
})
