import assert from 'node:assert/strict'
import { TOTP } from 'otpauth'
import { test } from 'vitest'
import { consoleRoutes } from '../../src/console/page-list.ts'
import { createOperator } from '../../src/control/index.ts'
import { askConsole, type FormFields, operatorPassword, startConsole } from '../support/console.ts'
import { onEachStore } from '../support/harness.ts'
import { stepCookieIn } from '../support/pages.ts'
import { workEnded } from '../support/work.ts'

/** Whose rows other tests find: of log-ins and set-ups, of passkeys, and of moves, which need another storage. */
const heldElsewhere: Readonly<Record<string, readonly string[]>> = {
  'test/stores/control-verbs.test.ts': ['invite/{token}'],
  'test/api/console-log-in.test.ts': ['login', 'login/code'],
  'test/api/console-me.test.ts': [
    'invite/{token}/passkey',
    'login/passkey',
    'me/passkeys',
    'me/passkeys/{id}/rename',
    'me/passkeys/{id}/remove',
    'me/totp/off',
  ],
  'test/stores/work.test.ts': ['moves/{id}/cancel', 'tenants/{id}/move'],
}

/** They begin something, or prove who asks, and change nothing that others see. */
const unrecorded = [
  '-/passkeys/request',
  'invite/{token}/passkeys/creation',
  'me/passkeys/creation',
  'prove',
  'prove/passkey',
]

type Step = readonly [path: string, address: string, verb: string, form?: FormFields]

onEachStore('each form of the console that changes something', (store) => {
  test('writes a row in the name of the operator who sent it', { timeout: 120_000 }, async () => {
    await using app = await startConsole({ store })
    await app.tenant('cats')
    const { console } = app
    const { operator } = await createOperator(app.app.control, { username: 'other', role: 'operator' })
    const db = app.app.control.store.control
    const now = () => app.app.control.clock.now().getTime()
    const codeOf = (secret: string) => new TOTP({ secret }).generate({ timestamp: now() })

    const halfDone = await askConsole(app, {
      method: 'POST',
      path: 'login',
      form: { login: 'grace', password: operatorPassword },
    })
    app.wait(30)
    const second = await askConsole(app, {
      method: 'POST',
      path: 'login/code',
      cookie: stepCookieIn(halfDone, 'terrace-console-login'),
      form: { code: codeOf(console.totpSecret) },
    })
    assert.equal(second.status, 303)
    const own = await db
      .selectFrom('operatorSession')
      .select('id')
      .orderBy('createdAt', 'desc')
      .limit(1)
      .executeTakeFirstOrThrow()
    const page = (await console.get('me/totp')).text
    const [, setup = ''] = /name="setup" value="([^"]*)"/.exec(page) ?? []
    const [, secret = ''] = /id="secret"[^>]* value="([A-Z2-7]+)"/.exec(page) ?? []

    const dogs = { id: 'dogs', hostname: 'dogs.test', is_enabled: 'on', plan_id: '' }
    const ada = { username: 'ada', email: 'ada@example.test', password: 'a long password of ada' }
    const value = { name: 'SERVICE_MAX_FILES', in: 'limits', value: '5' }
    const steps: readonly Step[] = [
      ['tenants', 'tenants', 'tenant.created', dogs],
      ['tenants/{id}', 'tenants/dogs', 'tenant.updated', { hostname: 'wolves.test', plan_id: '' }],
      ['tenants/{id}/disable', 'tenants/dogs/disable', 'tenant.updated'],
      ['tenants/{id}/enable', 'tenants/dogs/enable', 'tenant.updated'],
      ['tenants/bulk', 'tenants/bulk', 'tenant.updated', { id: ['dogs', 'cats'], action: 'disable' }],
      ['tenants/bulk', 'tenants/bulk', 'tenant.updated', { all: '1', action: 'enable' }],
      ['tenants/{id}/install', 'tenants/dogs/install', 'tenant.installed', ada],
      ['tenants/{id}/users/{name}/password', 'tenants/dogs/users/ada/password', 'user.password_reset'],
      ['tenants/{id}/values', 'tenants/dogs/values', 'tenant.updated', value],
      ['tenants/{id}/values', 'tenants/dogs/values', 'tenant.updated', { remove: value.name, in: 'limits' }],
      ['tenants/{id}/values/reveal', 'tenants/dogs/values/reveal', 'env.revealed'],
      ['plans', 'plans', 'plan.created', { id: 'small' }],
      ['plans/{id}', 'plans/small', 'plan.updated', { ...value, save: '1' }],
      ['plans/-/{id}', 'plans/-/small', 'plan.updated', { ...value, value: '6', save: '1' }],
      ['plans/{id}/delete', 'plans/small/delete', 'plan.deleted'],
      ['jobs/run', 'jobs/run', 'job.run', { tenant_id: 'cats' }],
      ['health/run', 'health/run', 'health.run'],
      ['backups', 'backups', 'backup.started'],
      ['keys', 'keys', 'key.created', { name: 'billing' }],
      ['operators', 'operators', 'operator.created', { username: 'linus', role: 'viewer' }],
      ['operators/{id}/role', `operators/${operator.id}/role`, 'operator.updated', { role: 'viewer' }],
      ['operators/{id}/reset', `operators/${operator.id}/reset`, 'operator.reset'],
      ['operators/{id}/delete', `operators/${operator.id}/delete`, 'operator.deleted'],
      ['me/sessions/{id}/end', `me/sessions/${own.id}/end`, 'session.ended'],
      ['me/totp/codes', 'me/totp/codes', 'operator.updated'],
      ['me/totp', 'me/totp', 'operator.updated', { setup, code: codeOf(secret) }],
      [
        'me/password',
        'me/password',
        'operator.updated',
        { current: operatorPassword, password: 'another long password' },
      ],
      ['tenants/{id}/delete', 'tenants/dogs/delete', 'tenant.deleted', { confirm: 'dogs', drop_tables: '1' }],
    ]
    const rowsAfter = (sequence: number) =>
      db.selectFrom('controlAudit').selectAll().where('sequence', '>', sequence).execute()
    const check = async ([path, address, verb, form]: Step) => {
      const last = (await rowsAfter(0)).length
      const { status, text } = await console.post(address, form ?? {})
      assert.ok(status < 400, `${path}: ${status} ${text}`)
      const written = (await rowsAfter(last)).filter(({ actorName }) => actorName === 'grace')
      assert.ok(
        written.some((row) => row.verb === verb && row.actor === 'operator' && row.address === '127.0.0.1'),
        `${path}: ${JSON.stringify(written)}`,
      )
    }
    for (const step of steps) await check(step)
    await workEnded(app)
    const backup = (await rowsAfter(0)).find(({ verb }) => verb === 'backup.started')
    const key = (await rowsAfter(0)).findLast(({ verb }) => verb === 'key.created')
    const last: readonly Step[] = [
      ['keys/{id}/delete', `keys/${key?.target}/delete`, 'key.deleted'],
      ['logout', 'logout', 'session.ended'],
    ]
    const verified = await console.post(`backups/${backup?.target}/verify`)
    assert.equal(verified.status, 303)
    await workEnded(app)
    assert.equal((await rowsAfter(0)).findLast(({ verb }) => verb === 'backup.verified')?.actorName, 'grace')
    for (const step of last) await check(step)

    const named = [...unrecorded, ...Object.values(heldElsewhere).flat()]
    const known = [...[...steps, ...last].map(([path]) => path), 'backups/{name}/verify', ...named]
    const forms = consoleRoutes.filter(({ method }) => method === 'POST').map(({ path }) => path)
    assert.deepEqual([...new Set(known)].sort(), forms.toSorted(), 'Say here which row each form writes.')
  })
})
