import assert from 'node:assert/strict'
import { readdirSync, readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { attributes, href, html } from '../../src/lib/html.ts'
import { readerOf } from '../../src/ui/reader.ts'
import { writeAgo, writeCount, writeNumber, writeSize, writeUntil } from '../../src/words/format.ts'
import { type Language, languages, preferredLanguage } from '../../src/words/languages.ts'

const all = Object.keys(languages) as Language[]

describe('the words of the pages', () => {
  test('are there in every language, and each says something', () => {
    for (const language of all) {
      const { words } = languages[language]
      assert.deepEqual(Object.keys(words).sort(), Object.keys(languages.en.words).sort(), language)
      for (const [key, text] of Object.entries(words))
        if (typeof text === 'string') assert.ok(text.trim() === text && text !== '', `${language} ${key}`)
    }
  })

  test('call the reader du in German: a Sie within a sentence is another form of address', () => {
    const folder = new URL('../../src/words/de/', import.meta.url)
    for (const path of readdirSync(folder)) {
      const [formal] =
        /.*\p{L},? (?:Sie|Ihnen|Ihr(?:e[mnrs]?)?)\b.*/u.exec(readFileSync(new URL(path, folder), 'utf8')) ??
        []
      assert.equal(formal, undefined, path)
    }
  })

  test('have one meaning each: no two parts have the same key', async () => {
    const folder = new URL('../../src/words/en/', import.meta.url)
    const partOf = new Map<string, string>()
    for (const path of readdirSync(folder)) {
      const parts: object[] = Object.values(await import(new URL(path, folder).href))
      for (const key of parts.flatMap((part) => Object.keys(part))) {
        assert.equal(partOf.get(key), undefined, `${key} of ${path}`)
        partOf.set(key, path)
      }
    }
  })

  test.for([
    [undefined, 'en'],
    ['', 'en'],
    ['de', 'de'],
    ['de-CH, en;q=0.8', 'de'],
    ['fr, es;q=0.4, de;q=0.6', 'de'],
    ['en;q=0.1, ES-419;q=0.9', 'es'],
    ['de;q=0, *', 'en'],
    ['constructor, __proto__', 'en'],
    [';;;,,q=', 'en'],
  ] as const)('are in the language that a browser prefers: %s is %s', ([accepted, language]) => {
    assert.equal(preferredLanguage(accepted), language)
  })

  test('are in the language of the cookie, if it is one of ours', () => {
    const of = (cookie: string) => readerOf({ headers: { cookie, 'accept-language': 'es' }, url: '/' })
    assert.equal(of('a=b; terrace-language=de; c=d').language, 'de')
    assert.equal(of('terrace-language=xx').language, 'es')
    assert.equal(of('terrace-theme=dark').theme, 'dark')
    assert.equal(of('terrace-theme="><script>').theme, 'auto')
  })

  test('write numbers, sizes, times and plurals as the language does', () => {
    assert.deepEqual(
      all.map((each) => writeNumber(each, 12_345)),
      ['12,345', '12.345', '12.345'],
    )
    assert.deepEqual(
      all.map((each) => writeSize(each, 53_200)),
      ['53.2 KB', '53,2 KB', '53,2 KB'],
    )
    const views = (count: number) => all.map((each) => writeCount(each, languages[each].words.views, count))
    assert.deepEqual(views(1), ['1 view', '1 visita', '1 Aufruf'])
    assert.deepEqual(views(0), ['0 views', '0 visitas', '0 Aufrufe'])
    const at = new Date('2026-11-16T12:00:00Z')
    const later = (seconds: number) => new Date(at.getTime() + seconds * 1_000)
    assert.deepEqual(
      all.map((each) => writeAgo(each, at, later(7_300))),
      ['2 hours ago', 'hace 2 horas', 'vor 2 Stunden'],
    )
    assert.deepEqual(
      all.map((each) => writeAgo(each, at, later(90_000))),
      ['yesterday', 'ayer', 'gestern'],
    )
    assert.equal(writeAgo('en', at, at), undefined)
    assert.deepEqual(
      all.map((each) => writeUntil(each, later(2 * 86_400), at)),
      ['in 2 days', 'dentro de 2 días', 'in 2 Tagen'],
    )
    assert.equal(writeUntil('en', later(60), at), 'in 1 minute')
  })
})

describe('a template', () => {
  test('writes attributes, boolean ones by their name alone', () => {
    const written = attributes({ id: 'a"b', hidden: true, disabled: false, title: undefined, value: 0 })
    assert.equal(html`<input${written}>`.markup, '<input id="a&quot;b" hidden value="0">')
    for (const name of ['onclick', 'style', 'a b', 'a"', 'x=y'])
      assert.throws(() => attributes({ [name]: '1' }), name)
  })

  test.for([
    'https://a.example/x',
    'http://a.example',
    'mailto:ada@example.com',
    '/image/x',
    '#top',
    '?after=1',
    '/',
  ])('leads to %s', (address) => assert.equal(href(address), address))

  test.for([
    'javascript:alert(1)',
    ' javascript:alert(1)',
    'java\nscript:alert(1)',
    'data:text/html,x',
    '//evil.example',
    '/\\evil.example',
    'vbscript:x',
    'blob:x',
    'file:///etc/passwd',
    '',
  ])('does not lead to %j', (address) => assert.equal(href(address), '#'))
})
