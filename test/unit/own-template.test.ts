import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { fillTemplate } from '../../src/common/own-template.ts'
import { anyCharacter } from '../support/fixtures/any-character.ts'

const values = {
  url: 'https://cats.test/a.png',
  page: 'https://cats.test/image/a',
  short: 'https://cats.test/i/a',
  title: '<b>"Öl" & [x](y)</b>',
  name: 'a b.png',
  width: '40',
  height: '30',
}

test('a template names values, each as it is or escaped for where it goes', () => {
  const cases = {
    '{url}|{page}|{short}': `${values.url}|${values.page}|${values.short}`,
    '{width}x{height} {name}': '40x30 a b.png',
    '{title}': values.title,
    '{title:html}': '&lt;b&gt;&quot;Öl&quot; &amp; [x](y)&lt;/b&gt;',
    '{title:markdown}': '\\<b\\>\\"Öl\\" \\& \\[x\\]\\(y\\)\\<\\/b\\>',
    '{name:url}': 'a%20b.png',
    '{unknown} {title:none} {} { url } {constructor} {title:constructor}':
      '{unknown} {title:none} {} { url } {constructor} {title:constructor}',
    '{{url}}': `{${values.url}}`,
    '$& $1 {url}': `$& $1 ${values.url}`,
  }
  for (const [template, filled] of Object.entries(cases))
    assert.equal(fillTemplate(template, values), filled, template)
})

test('a value is filled in once, and cannot leave the place that it is escaped for', () => {
  const title = fc.string({ unit: anyCharacter })
  fc.assert(
    fc.property(title, (given) => {
      const own = { ...values, title: given }
      assert.equal(fillTemplate('{title}', own), given)
      assert.doesNotMatch(fillTemplate('{title:html}', own), /[<>"']/)
      assert.doesNotMatch(fillTemplate('{title:markdown}', own), /(?<!\\)(?:\\\\)*[[\]()<>*_`!]/)
      assert.match(fillTemplate('{title:url}', own), /^[\w%.!~*'()-]*$/)
    }),
  )
  assert.equal(fillTemplate('{title}', { ...values, title: '{url}' }), '{url}')
  assert.doesNotMatch(fillTemplate('{title:html}', { ...values, title: '<img src=x onerror=1>' }), /[<>]/)
})
