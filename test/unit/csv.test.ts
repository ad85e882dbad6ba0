import assert from 'node:assert/strict'
import { test } from 'vitest'
import { csvLine } from '../../src/lib/csv.ts'

test('a cell is quoted where it must be, and never begins like a formula', () => {
  assert.equal(csvLine(['a', 1, undefined, 'b,c', 'd"e', 'f\ng']), 'a,1,,"b,c","d""e","f\ng"\r\n')
  for (const sign of ['=', '+', '-', '@', '\t', '＝', '＋', '－', '＠'])
    assert.equal(csvLine([`${sign}1`]), `'${sign}1\r\n`)
  for (const sign of ['\r', '\n']) assert.equal(csvLine([`${sign}=1`]), `"'${sign}=1"\r\n`)
})
