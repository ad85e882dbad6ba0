import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import type { ModelFile } from './search-model.ts'

/** Strings that often break programs. Texts of files have no control characters. */
export const naughtyStrings: readonly string[] = (
  JSON.parse(readFileSync(new URL('../corpus/blns/blns.json', import.meta.url), 'utf8')) as string[]
).map((text) => text.replaceAll(/\p{Cc}/gu, ' '))

/** A few words of each script, so that random texts and random queries meet. */
const scripts: readonly (readonly string[])[] = [
  [
    'cat',
    'Cats',
    'catalogue',
    "it's",
    'naïve',
    'Straße',
    'STRASSE',
    'ﬁsh',
    'zoo',
    'z',
    'Ǆungla',
    'a1b2',
    '2024',
    '½',
  ],
  ['ΣΊΣΥΦΟΣ', 'σίσυφος', 'Γάτα', 'γάτες', 'ὁδός'],
  ['Кошка', 'кошки', 'ЁЛКА', 'елка', 'й'],
  ['قطة', 'قِطَّة', 'ﷺ', 'القطط', '٤٢'],
  ['חתול', 'חֲתוּל', 'שלום', 'ﬡ'],
  ['बिल्ली', 'हिन्दी', 'क्षत्रिय', '४२'],
  ['แมว', 'ภาษาไทย', 'น้ำ', '๔๒'],
  ['東京', '東京タワー', '京都', 'ネコ', 'ﾈｺ', 'ねこ', 'がぎぐ', '々', '猫cat猫', '𠮷野家'],
  ['고양이', '한국어', '가', '가'],
  ['😀', '👨‍👩‍👧', '-', '…', '\u0301', 'e\u0301', '１２３', '①'],
]

const word = fc.oneof(
  { weight: 12, arbitrary: fc.constantFrom(...scripts).chain((words) => fc.constantFrom(...words)) },
  { weight: 2, arbitrary: fc.constantFrom(...naughtyStrings).map((text) => [...text].slice(0, 40).join('')) },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: 'binary', maxLength: 4 })
      .map((text) => text.replaceAll('\0', '').toWellFormed()),
  },
)

const text = (most: number) =>
  fc
    .array(word, { maxLength: most })
    .chain((words) => fc.constantFrom(' ', '-', ' … ', '').map((between) => words.join(between)))

export const modelFile: fc.Arbitrary<ModelFile> = fc.record({
  title: text(5),
  tags: fc.array(word, { maxLength: 3 }),
  name: text(3),
  description: text(12),
})

const phrase = fc
  .array(word, { minLength: 1, maxLength: 3 })
  .map((words) => `"${words.join(' ').replaceAll('"', '')}"`)

const term = fc
  .tuple(
    fc.oneof({ weight: 4, arbitrary: fc.constant('') }, { weight: 1, arbitrary: fc.constant('-') }),
    fc.oneof(
      { weight: 5, arbitrary: word },
      { weight: 2, arbitrary: phrase },
      { weight: 2, arbitrary: word.map((each) => `${[...each].slice(0, 2).join('')}*`) },
    ),
  )
  .map((parts) => parts.join(''))

export const queryText: fc.Arbitrary<string> = fc
  .array(term, { minLength: 1, maxLength: 4 })
  .map((terms) => terms.join(' '))
