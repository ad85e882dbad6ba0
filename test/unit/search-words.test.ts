import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { detailOf } from '../../src/lib/faults.ts'
import { parseQuery } from '../../src/media/index.ts'
import { fileWords, runsOf as runsIn, spelled, wordsOf } from '../../src/media/search/words.ts'
import { anyCharacter } from '../support/fixtures/any-character.ts'
import { modelQuery, modelWords } from '../support/fixtures/search-model.ts'
import { naughtyStrings, queryText } from '../support/fixtures/search-texts.ts'
import { runsOf } from '../support/tiers.ts'

const anyText = fc.oneof(
  fc.constantFrom(...naughtyStrings),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({ unit: 'grapheme', maxLength: 80 }),
)
const numRuns = runsOf(2_000)

describe('the words of a text', () => {
  test.each([
    ['Black-Cat_2.JPG', ['black', 'cat', '2', 'jpg']],
    ["It's naïve", ['it', 's', 'naive']],
    ['ΣΊΣΥΦΟΣ σίσυφος', ['σισυφοσ', 'σισυφοσ']],
    ['Straße ﬁsh ＣＡＴ ①', ['straße', 'fish', 'cat', '1']],
    ['東京タワーへ2人', ['東', '京', 'タ', 'ワ', 'ー', 'へ', '2', '人']],
    ['がぎ ｶﾞ', ['か', 'き', 'カ']],
    ['한국어 각', ['한국어', '각']],
    ['قِطَّة חֲתוּל', ['قطة', 'חתול']],
    ['हिन्दी', ['ह', 'नद']],
    [`${'x'.repeat(70)} y`, ['x'.repeat(64), 'y']],
    ['— … 😀 \u0301', []],
  ])('%s', (text, words) => assert.deepEqual(wordsOf(text), words))

  test('are those of the model, whatever the text', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        assert.deepEqual(
          wordsOf(text),
          modelWords(text).map(({ word }) => word),
        )
      }),
      { numRuns },
    )
  })

  test('are spelled in small letters and digits, each word otherwise, beginnings as beginnings', () => {
    const word = anyText.map((text) => wordsOf(text)[0] ?? 'z')
    fc.assert(
      fc.property(word, word, (one, two) => {
        assert.match(spelled(one), /^[a-z0-9]+$/)
        assert.equal(spelled(one) === spelled(two), one === two)
        assert.equal(spelled(two).startsWith(spelled(one)), two.startsWith(one))
        assert.notEqual(spelled(one), 'z')
      }),
      { numRuns },
    )
  })

  test('belong to one run only if they are neighbours of Han or Kana', () => {
    assert.deepEqual(runsIn('猫cat東京 x'), [['猫'], ['cat'], ['東', '京'], ['x']])
  })

  test('of a file end after 8,000, and a word after its 255th time', () => {
    const file = { title: undefined, name: 'n', extension: 'png', description: `${'a '.repeat(300)}b` }
    const { description } = fileWords(file, [])
    assert.equal(description, `${' a'.repeat(255)}${' z'.repeat(45)} b`)
    const many = fileWords(
      { ...file, description: 'late' },
      Array.from({ length: 9_000 }, (_, index) => `t${index}`),
    )
    assert.deepEqual([many.name, many.description], ['', ''])
    assert.equal(many.tags.split(' ').filter((word) => word.startsWith('t')).length, 8_000)
  })
})

describe('a query', () => {
  test('is read as the model reads it, or refused by both', () => {
    fc.assert(
      fc.property(fc.oneof(queryText, anyText), (text) => {
        const read = parseQuery(text)
        const model = modelQuery(text)
        if ('fault' in read || !model) return assert.equal('fault' in read, model === undefined, text)
        const phrase = ({ words, isPrefix }: { words: string[]; isPrefix: boolean }) => ({
          words: words.map(spelled),
          isPrefix,
        })
        assert.deepEqual(read, {
          included: model.wanted.map(phrase),
          excluded: model.unwanted.map((terms) => terms.map(phrase)),
        })
      }),
      { numRuns },
    )
  })

  test.each([
    ['', 'searchWordless', 'must have a letter or a digit'],
    ['-a -"b c"', 'searchExcluded', 'must have a word that is not excluded'],
    ['é'.repeat(201), 'searchLength', 'must have at most 200 characters, not 201'],
    ["it's ".repeat(9), 'searchTerms', 'must have at most 16 words and phrases, not 18'],
  ])('is refused: %s', (text, code, detail) => {
    const query = parseQuery(text)
    assert.ok('fault' in query)
    assert.deepEqual([query.fault.code, detailOf(query.fault)], [code, detail])
  })
})
