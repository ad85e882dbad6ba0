import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { changedInControl } from '../../src/control/audit/changed-in-control.ts'

const url = 'postgres://app:canary@db.example.com/app'

describe('the fields of a row of the installation’s audit log', () => {
  test('name an env whose value alone was changed', () => {
    const changed = changedInControl({ env: { A: 'old', B: '1' } }, { env: { A: 'new', B: '1' } })
    assert.deepEqual(changed, { before: { env: ['A'] }, after: { env: ['A'] } })
  })

  test('say that a limit with a name of the operator’s own was changed, and not to what', () => {
    const changed = changedInControl({ limits: { MY_URL: url } }, { limits: { MY_URL: `${url}2` } })
    assert.deepEqual(changed, {
      before: { limits: { MY_URL: '[redacted]' } },
      after: { limits: { MY_URL: '[redacted]' } },
    })
  })

  test('show values that Terrace knows', () => {
    const [before, after] = [{ SERVICE_MAX_FILES: '10' }, { SERVICE_ENABLE_SIGNUP: '1' }]
    const changed = changedInControl({ limits: before }, { limits: after })
    assert.deepEqual(changed, { before: { limits: before }, after: { limits: after } })
  })

  test('are all of what was created, and none if only the order of a map was changed', () => {
    const created = changedInControl(undefined, { hostname: 'cats.test', limits: {}, env: { A: '1' } })
    assert.deepEqual(created, { before: {}, after: { hostname: 'cats.test', env: ['A'] } })
    const same = changedInControl({ env: { A: '1', B: '2' } }, { env: { B: '2', A: '1' } })
    assert.equal(same, undefined)
  })
})
