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
  option: 'width',
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

describe('every refusal that pages word', () => {
  const limits = /(?:limitReached|countUser)\([^)]*'(SERVICE_\w+)'|limitName = '(SERVICE_\w+)'/g
  const counted = [...source.matchAll(limits)]
    .map(([, name, ofConstant]) => name ?? ofConstant ?? '')
    .filter((name) => name !== 'SERVICE_MAX_STORAGE')

  const given = {
    kind: 'SVG',
    limit: 19,
    most: 17,
    size: '2 MB',
    width: 3,
    height: 41,
    username: 'grace',
    times: 3,
  }

  test('is a sentence in each language, without a name of the code or of a setting', () => {
    assert.ok(counted.includes('SERVICE_MAX_ALBUMS') && counted.includes('SERVICE_MAX_ADMINS'))
    for (const [language, { words }] of Object.entries(languages))
      for (const [code, text] of Object.entries(words.refusals))
        for (const name of code === 'limit-reached' ? counted : ['SERVICE_MAX_FILES']) {
          const sentence = text({ ...given, name })
          assert.match(sentence, /^[\p{Lu}“„«].*[.]$/u, `${language} ${code}: ${sentence}`)
          assert.doesNotMatch(sentence, /undefined|SERVICE_|[a-z]_[a-z]/, `${language} ${code}: ${sentence}`)
        }
  })

  test('names what its limit counts', () => {
    const { refusals } = languages.en.words
    for (const name of counted)
      assert.match(refusals['limit-reached']({ name, limit: 19 }), /limit of 19 [a-z ]+ is reached/, name)
  })

  test('has different words in each language', () => {
    for (const code of Object.keys(
      languages.en.words.refusals,
    ) as (keyof typeof languages.en.words.refusals)[]) {
      const written = Object.values(languages).map(({ words }) =>
        words.refusals[code]({ ...given, name: 'SERVICE_MAX_ALBUMS' }),
      )
      assert.equal(new Set(written).size, written.length, `${code}: ${written.join(' | ')}`)
    }
  })
})

test('the words for refusals name codes that exist', () => {
  for (const code of Object.keys(languages.en.words.refusals))
    assert.ok(source.includes(`'${code}'`), `nothing is refused as ${code}`)
})
