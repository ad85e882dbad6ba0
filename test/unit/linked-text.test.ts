import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { linkedText } from '../../src/ui/parts/description.ts'

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" }
const unescaped = (markup: string) =>
  markup.replaceAll(/&(amp|lt|gt|quot|#39);/g, (_, name) => entities[name] ?? '')
const readText = (markup: string) => unescaped(markup.replaceAll(/<\/?a\b[^>]*>/g, ''))
const linksIn = (text: string) =>
  [...linkedText(text).markup.matchAll(/<a href="([^"]*)" rel="nofollow ugc noopener">/g)].map(
    ([, url = '']) => unescaped(url),
  )

describe('addresses in a text', () => {
  test.for([
    ['See https://example.org/a.', 'https://example.org/a'],
    ['(https://example.org/a_(b))', 'https://example.org/a_(b)'],
    ['[https://example.org]', 'https://example.org'],
    ['https://example.org/?a=1&b=<2>', 'https://example.org/?a=1&b='],
    ['„https://example.org/grün“, ok', 'https://example.org/grün'],
    ['Is it HTTPS://Example.org/x?!…', 'HTTPS://Example.org/x'],
    ['见 https://例え.jp/道。', 'https://例え.jp/道'],
    ['https://example.org/a*b*', 'https://example.org/a*b'],
    ['http://[2001:db8::1]/x', 'http://[2001:db8::1]/x'],
  ] as const)('%s', ([text, url]) => {
    assert.deepEqual(linksIn(text), [url])
    assert.equal(readText(linkedText(text).markup), text)
  })

  test('are links of the web alone', () => {
    for (const text of [
      'javascript:alert(1)',
      'javascript:https',
      'xhttps://example.org',
      'data:text/html,x',
      'https://',
      'http://.',
      'mailto:a@example.org',
      'view-source_http://example.org',
    ])
      assert.deepEqual(linksIn(text), [], text)
    assert.equal(
      linkedText('<b>https://example.org/"onclick=x</b>').markup,
      '&lt;b&gt;<a href="https://example.org/" rel="nofollow ugc noopener">https://example.org/</a>&quot;onclick=x&lt;/b&gt;',
    )
  })

  const pieces = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.constantFrom(
      'https://',
      'http://',
      'example.org',
      '/',
      '(',
      ')',
      '.',
      '&',
      '<a href="',
      '">',
      'javascript:',
      ' ',
    ),
    fc.webUrl({ withQueryParameters: true, withFragments: true }),
  )
  const texts = fc.array(pieces, { maxLength: 8 }).map((parts) => parts.join(''))

  test('change nothing of what is read, and lead to http and https alone', () => {
    fc.assert(
      fc.property(texts, (text) => {
        const { markup } = linkedText(text)
        assert.equal(readText(markup), text)
        for (const url of linksIn(text)) {
          assert.match(new URL(url).protocol, /^https?:$/)
          assert.doesNotMatch(url, /[\s<>"]|[.,;:!?]$/u)
        }
        // No other markup than these links.
        assert.doesNotMatch(
          markup.replaceAll(/<a href="[^"]*" rel="nofollow ugc noopener">|<\/a>/g, ''),
          /[<>]/,
        )
      }),
      { numRuns: 2_000 },
    )
  })
})
