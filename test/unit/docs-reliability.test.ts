import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { faultOfTestLink } from '../support/project/test-links.ts'

const text = readFileSync(new URL('../../docs/reliability.md', import.meta.url), 'utf8')

describe('the tables of faults in docs/reliability.md', () => {
  const rows = text
    .split('\n')
    .filter((line) => line.startsWith('| ') && !line.startsWith('| Fault |'))
    .map((line) => line.slice(2, -2).split(' | '))

  test('name a test that there is in every row', () => {
    assert.ok(rows.length > 50)
    const faults = rows.flatMap(([fault = '', seen, kept, proof = '', ...more]) => {
      const isWhole = seen && kept && more.length === 0
      const wrong = isWhole ? faultOfTestLink(proof) : 'not four cells'
      return wrong === undefined ? [] : [`${fault}: ${wrong}`]
    })
    assert.deepEqual(faults, [])
  })

  test('cover disk, bucket, proxy, database and clock', () => {
    for (const word of ['disk', 'bucket', 'proxy', 'PostgreSQL', 'SQLite', 'clock'])
      assert.ok(
        rows.some(([fault = '']) => fault.includes(word)),
        word,
      )
  })
})
