import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import {
  checkTexts,
  englishOf,
  isKnownMessage,
  type Message,
  type MessageCode,
  message,
  messageCodes,
  writeMessage,
} from '../../src/lib/messages.ts'
import { installationChecks, preflightChecks, siteChecks } from '../../src/maintenance/doctor/check-list.ts'
import { messageIn } from '../../src/ui/message-words.ts'
import { readerOf } from '../../src/ui/reader.ts'
import { type Language, languages } from '../../src/words/languages.ts'
import { filesOfProject } from '../support/project/house.ts'

const all = Object.keys(languages) as Language[]

/** Every number and name that a sentence may mention, each recognisable. */
const params = {
  anchor: 'setting',
  at: '1 Nov 2026',
  bytes: 70_001,
  command: 'terrace do-it',
  copied: 23,
  count: 17,
  counted: 29,
  detail: 'can do it',
  earlier: '/backups/earlier',
  expected: 31,
  fault: 'it broke',
  files: 37,
  filesNow: 41,
  folder: '/backups/now',
  found: 43,
  from: 47,
  id: 'cats',
  key: 'files/x1',
  kind: 'tag',
  label: 'dusk',
  last: 53,
  layer: 'network',
  listed: 59,
  log: 'cats: 61',
  mode: '644',
  name: 'thing',
  names: 'albums, files',
  oldest: 15,
  parent: '"user"',
  path: '/data/x.json',
  row: 67,
  size: '70 KB',
  source: 'FFMPEG_PATH',
  state: 'kept',
  stored: 71,
  table: '"file"',
  to: 73,
  url: 'https://console.test',
  used: 79,
  usedNow: 83,
  version: '5.1',
  why: 'it has no list',
} as const

const written = (language: Language, code: MessageCode, more: Message['params'] = {}) =>
  writeMessage(languages[language].words.messages, { code, params: { ...params, ...more } })

/** The code that tells them. */
const source = [...filesOfProject()]
  .filter(([path]) => /^src\//.test(path) && !/^src\/(words\/|lib\/messages)/.test(path))
  .map(([, text]) => text)
  .join('\n')

/** Texts that are parts of others, or begin with what they are about. */
const isPart = (code: MessageCode) =>
  !/^[A-Z]/.test(written('en', code)) || !/[.:]$|: /.test(written('en', code))

describe('every message of the doctor and of backups', () => {
  for (const language of all)
    test(`is a sentence in ${languages[language].name}, with all that it mentions`, () => {
      const { messages } = languages[language].words
      assert.deepEqual(Object.keys(messages).sort(), [...messageCodes].sort())
      for (const code of messageCodes) {
        const text = written(language, code)
        if (!isPart(code)) assert.match(text, /^[\p{Lu}“„«].*(?:[.:]|: .+|--repair)$/u, `${code}: ${text}`)
        assert.doesNotMatch(text, /undefined|NaN|\[object|\$\{| {2}/, `${code}: ${text}`)
        for (const [name, value] of Object.entries(params))
          if (isNamed(code, name)) assert.ok(text.includes(String(value)), `${code} says no ${name}: ${text}`)
      }
    })

  test('has different words in each language', () => {
    for (const code of messageCodes) {
      const texts = all.map((language) => written(language, code))
      assert.equal(new Set(texts).size, texts.length, `${code}: ${texts.join(' | ')}`)
    }
  })

  test('names a layer of the sandbox and a state of a site in words, and a later one as it is', () => {
    const { sandbox, state } = { sandbox: { layer: 'newer', detail: 'can fly' }, state: { state: 'newer' } }
    for (const language of all) {
      assert.match(written(language, 'decoderUnconfined', sandbox), / can fly,/)
      assert.match(written(language, 'siteNotLive', state), / newer\./)
    }
    assert.doesNotMatch(written('de', 'decoderUnconfined'), /can do it/)
    assert.doesNotMatch(written('es', 'siteNotLive'), /kept/)
  })

  test('is used by the code', () => {
    for (const code of messageCodes)
      assert.match(source, new RegExp(`message\\([^;]{0,80}?'${code}'`), `${code} is used nowhere`)
  })
})

/** Whether the English text mentions it: then all must. Words for a state or layer replace its name. */
const isNamed = (code: MessageCode, name: string): boolean =>
  !['kind', 'state', 'detail', 'layer'].includes(name) &&
  written('en', code) !== written('en', code, { [name]: 'other' })

describe('every check of the doctor', () => {
  const names = [...preflightChecks, ...installationChecks, ...siteChecks].map(({ name }) => name)

  test('has a name and says what is expected, in each language', () => {
    assert.deepEqual([...names, 'site-tables'].sort(), Object.keys(checkTexts).sort())
    for (const language of all) {
      const { checkNames, checkTitles } = languages[language].words
      for (const name of Object.keys(checkTexts) as (keyof typeof checkTexts)[]) {
        assert.ok(checkNames[name].length > 0, `${language} ${name}`)
        assert.match(checkTitles[name], /^\p{Lu}.*[^.]$/u, `${language} ${name}`)
        if (language !== 'en') assert.notEqual(checkTitles[name], checkTexts[name])
      }
    }
  })
})

describe('a message', () => {
  const nested = message('auditChanged', { fault: message('auditRowsMissing', { from: 5, to: 7 }) })
  const readerIn = (language: Language) =>
    readerOf({ headers: { cookie: `terrace-language=${language}` }, url: '/' })
  const shown = (language: Language, data: Parameters<typeof messageIn>[2]['data'], text = 'In English.') =>
    messageIn(readerIn(language), 'span', { text, data }).markup

  test('is written with the messages in it in the same language', () => {
    const text = 'The audit log was changed outside of Terrace: the rows 5 to 7 are missing.'
    assert.equal(englishOf(nested), text)
    assert.match(shown('de', nested), />Das Protokoll wurde .*: Die Einträge 5 bis 7 fehlen\.</)
    assert.match(shown('es', nested), />El registro se ha modificado .*: faltan las entradas 5 a 7\.</)
  })

  test('has sizes and moments as the language writes them', () => {
    const disk = message('diskAlmostFull', { bytes: 53_200_000, size: '53.2 MB' })
    assert.match(shown('de', disk), /53,2 MB/)
    const late = message('jobsLate', { at: '2026-11-16T12:30:00.000Z' })
    assert.match(shown('de', late), /am 16\. Nov\. 2026, 12:30 UTC fällig/)
    assert.match(shown('es', message('jobsLate', { at: 'never' })), /para el never/)
  })

  test('of a row without data, or of a later version, is in English and says that it is', () => {
    const later = { code: 'ofALaterVersion', params: {} } as unknown as Message
    assert.equal(isKnownMessage({ ...nested, params: { fault: later } }), false)
    for (const data of [undefined, null, later, { reason: 'of-a-later-version', params: {} }])
      assert.match(shown('de', data), /<span[^>]* lang="en"[^>]*>In English\.</)
    assert.match(shown('de', { reason: 'storage-unavailable', params: {} }), />Der Speicher ist nicht/)
  })
})
