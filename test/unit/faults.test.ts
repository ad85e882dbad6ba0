import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { type BrokenRule, detailOf, type FaultCode, faultCodes, textOf } from '../../src/lib/faults.ts'
import { type Language, languages } from '../../src/words/languages.ts'
import { filesOfProject } from '../support/project/house.ts'

/** Every number and word that a text may mention, each recognisable. */
const params = {
  action: 'edit',
  algorithms: ['sha1'],
  bytes: 70_001,
  count: 17,
  detail: 'must be something',
  given: 'x7',
  id: 'con',
  keyword: 'maximum',
  least: 3,
  length: 41,
  most: 19,
  needs: 'q',
  privacy: 'link',
  sort: 'relevance',
  tag: 'dusk',
  types: ['string', 'null'],
  unit: 'days',
  words: ['on', 'off'],
}

/** The code that finds faults. */
const source = [...filesOfProject()]
  .filter(([path]) => /^src\//.test(path) && !/^src\/(words\/|lib\/faults)/.test(path))
  .map(([, text]) => text)
  .join('\n')

const rule = (code: FaultCode): BrokenRule => ({ code, params })

const texts = (language: Language, code: FaultCode) => textOf(languages[language].words.faults, rule(code))

describe('every fault of a field', () => {
  for (const language of Object.keys(languages) as Language[])
    test(`is a sentence in ${languages[language].name}`, () => {
      const { faults } = languages[language].words
      assert.deepEqual(Object.keys(faults).sort(), [...faultCodes].sort())
      for (const code of faultCodes) {
        const text = texts(language, code)
        assert.match(text, /^[\p{Lu}“„«].*[.:-]$|: ./u, `${code}: ${text}`)
        assert.doesNotMatch(text, /undefined|NaN|\[object|\$\{/, `${code}: ${text}`)
      }
    })

  test('has different words in each language', () => {
    const all = Object.keys(languages) as Language[]
    for (const code of faultCodes) {
      const written = [detailOf(rule(code)), ...all.map((language) => texts(language, code))]
      assert.equal(new Set(written).size, written.length, `${code}: ${written.join(' | ')}`)
    }
  })

  test('is used by the code', () => {
    for (const code of faultCodes)
      assert.match(
        source,
        new RegExp(`(?:broken|faultOf)\\([^;]{0,120}?'${code}'`),
        `${code} is used nowhere`,
      )
  })
})

test('the words for refusals name codes that exist', () => {
  for (const code of Object.keys(languages.en.words.refusals))
    assert.ok(source.includes(`'${code}'`), `nothing is refused as ${code}`)
})
