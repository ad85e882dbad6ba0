import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'vitest'
import { operatorPassword, startConsole, type TestConsole } from '../support/console.ts'
import { onEachStore } from '../support/harness.ts'

const keyIn = (text: string): string => /id="new-key"[^>]* value="([^"]+)"/.exec(text)?.[1] ?? ''

const works = async ({ send, app }: TestConsole, key: string): Promise<boolean> => {
  const signature = createHmac('sha256', app.requestSecret).update('').digest('hex')
  const headers = { 'x-api-key': key, 'x-signature': signature }
  return (await send('GET', '/_/api/4/tenants', { headers })).status === 200
}

onEachStore('management keys on the console', (store) => {
  test('are shown once, work at the API, and end when they are deleted', async () => {
    await using app = await startConsole({ store })
    const { console } = app
    const made = await console.post('keys', { name: '<b>ci</b>' })
    assert.deepEqual([made.status, made.headers['cache-control']], [200, 'no-store'])
    const key = keyIn(made.text)
    assert.match(key, /^trc_\d+_\w+$/)
    assert.ok(await works(app, key))
    const page = (await console.get('keys')).text
    assert.ok(!page.includes(key) && page.includes('&lt;b&gt;ci&lt;/b&gt;') && !page.includes('<b>ci'))
    const [, id = ''] = key.split('_')
    const gone = await console.post(`keys/${id}/delete`)
    assert.deepEqual([gone.status, gone.headers.location], [303, '/_/console/keys?saved=1'])
    assert.equal(await works(app, key), false)
    assert.equal((await console.post(`keys/${id}/delete`)).status, 404)
    for (const unknown of ['x', '%00', '-1', '99999999999999999999', '1.5'])
      assert.equal((await console.post(`keys/${unknown}/delete`)).status, 404, unknown)
  })

  test('end with the day that was chosen, and a day that is none or over is refused with what was typed', async () => {
    await using app = await startConsole({ store })
    const { console } = app
    const today = app.app.control.clock.now().toISOString().slice(0, 10)
    const key = keyIn((await console.post('keys', { name: 'today', expires_at: today })).text)
    assert.ok(await works(app, key))
    app.wait(86_400)
    assert.equal(await works(app, key), false)
    const again = await app.operator('operator')
    assert.match((await again.get('keys')).text, /today(?:(?!<\/tr>|role="row").)*Expired/s)
    for (const expires_at of ['2026-02-30', '2020-01-01', 'tomorrow', '0000-00-00', '+275761-01-01']) {
      const refused = await again.post('keys', { name: 'typed name', expires_at })
      assert.equal(refused.status, 400, expires_at)
      assert.match(refused.text, /<input(?=[^>]* name="name")(?=[^>]* value="typed name")/)
      assert.match(refused.text, /<input(?=[^>]* name="expires_at")(?=[^>]* aria-invalid="true")/)
      assert.equal(keyIn(refused.text), '')
    }
    const taken = await again.post('keys', { name: 'today' })
    assert.ok(taken.status >= 400 && taken.status < 500)
    assert.equal((await again.post('keys', { name: 'x'.repeat(101) })).status, 400)
    assert.equal(
      (await app.app.control.store.control.selectFrom('controlKey').select('id').execute()).length,
      2,
    )
  })

  test('are made and deleted behind a proof, which leads back to them', async () => {
    await using app = await startConsole({ store })
    const { console } = app
    app.wait(601)
    for (const path of ['keys', 'keys/1/delete']) {
      const { status, headers } = await console.post(path, { name: 'x' })
      assert.deepEqual([status, headers.location], [303, '/_/console/prove?to=%2F_%2Fconsole%2Fkeys'])
    }
    assert.ok(await works(app, app.key))
    const asked = await console.get('prove?to=%2F_%2Fconsole%2Fkeys')
    assert.match(asked.text, /name="to" value="\/_\/console\/keys"/)
    const back = await console.post('prove', { password: operatorPassword, to: '/_/console/keys' })
    assert.deepEqual([back.status, back.headers.location], [303, '/_/console/keys'])
    assert.equal((await console.post('keys', { name: 'x' })).status, 200)
    const gone = await console.get('prove?to=%2F_%2Fconsole%2Fkeys')
    assert.deepEqual([gone.status, gone.headers.location], [303, '/_/console/keys'], 'proven already')
  })
})
