import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { TOTP } from 'otpauth'
import { test } from 'vitest'
import { createOperator } from '../../src/control/index.ts'
import { examineApp } from '../../src/maintenance/index.ts'
import { askConsole, operatorPassword, startConsole, type TestConsole } from '../support/console.ts'
import { findingsOf } from '../support/doctor.ts'
import { onBothStores } from '../support/harness.ts'
import { stepCookieIn } from '../support/pages.ts'
import { runHere } from '../support/tool.ts'

/** The status of a log-in of grace with the code of now. */
async function statusOfCode(app: TestConsole): Promise<number> {
  const form = { login: 'grace', password: operatorPassword }
  const first = await askConsole(app, { method: 'POST', path: 'login', form })
  const cookie = stepCookieIn(first, 'terrace-console-login')
  app.wait(30)
  const timestamp = app.app.control.clock.now().getTime()
  const code = new TOTP({ secret: app.console.totpSecret }).generate({ timestamp })
  return (await askConsole(app, { method: 'POST', path: 'login/code', cookie, form: { code } })).status
}

onBothStores('the second steps of operators', (store) => {
  test('and the secrets of open links outlast a rotation of the keys', async () => {
    await using app = await startConsole({ store })
    const { token } = await createOperator(app.app.control, { username: 'ada', role: 'viewer' })
    const secretOf = async () => {
      const { status, text } = await askConsole(app, { path: `invite/${token}` })
      return [status, /id="secret"[^>]* value="([A-Z2-7]+)"/.exec(text)?.[1]]
    }
    const secret = await secretOf()
    for (let round = 0; round < 2; round += 1) {
      const { code, err } = await runHere(['tenants', 'env:rotate'], app.environment)
      assert.equal(code, 0, err)
      assert.equal(await statusOfCode(app), 303)
      assert.deepEqual(await secretOf(), secret)
      assert.deepEqual(findingsOf(await examineApp(app.app)), [])
    }
  })

  test('that no key opens are named by the doctor, and keep the rotation from deleting keys', async () => {
    await using app = await startConsole({ store })
    const db = app.app.control.store.control
    const row = await db.selectFrom('operator').select('sealedTotp').executeTakeFirstOrThrow()
    const [, ...rest] = (row.sealedTotp ?? '').split('.')
    const sealedTotp = [randomBytes(6).toString('hex'), ...rest].join('.')
    await db.updateTable('operator').set({ sealedTotp }).execute()
    assert.deepEqual(findingsOf(await examineApp(app.app)), ['encryption - operator grace'])
    assert.equal(await statusOfCode(app), 401)
    const { code, err } = await runHere(['tenants', 'env:rotate'], app.environment)
    assert.equal(code, 1)
    assert.match(err, /second steps of the operators \w{12} cannot be decrypted/)
    assert.equal((await runHere(['operator:reset', '--username', 'grace'], app.environment)).code, 0)
    assert.equal((await runHere(['tenants', 'env:rotate'], app.environment)).code, 0)
    assert.deepEqual(findingsOf(await examineApp(app.app)), [])
  })
})
