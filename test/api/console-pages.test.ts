import assert from 'node:assert/strict'
import { test } from 'vitest'
import { askConsole, startConsole } from '../support/console.ts'
import { onEachStore } from '../support/harness.ts'

onEachStore('the console', (store) => {
  test('leads a guest to the log-in', async () => {
    await using app = await startConsole({ store })
    const guest = await askConsole(app, { path: 'keys' })
    assert.deepEqual(
      [guest.status, guest.headers.location],
      [302, '/_/console/login?to=%2F_%2Fconsole%2Fkeys'],
    )
    const page = await app.console.get('keys')
    assert.equal(page.status, 200)
  })
})
