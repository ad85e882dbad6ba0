import assert from 'node:assert/strict'
import { domainToASCII, domainToUnicode } from 'node:url'
import fc from 'fast-check'
import { test } from 'vitest'
import { isLocalName, normaliseHostname, readHostHeader } from '../../src/lib/net/hosts.ts'
import { anyCharacter } from '../support/fixtures/any-character.ts'
import { collidingHostnames, hostileHostnames } from '../support/fixtures/colliding-hostnames.ts'
import { runsOf } from '../support/tiers.ts'

const NAME = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/

const accepted: readonly [text: string, name: string][] = [
  ['a', 'a'],
  ['localhost', 'localhost'],
  ['LocalHost.', 'localhost'],
  ['cats.example.test', 'cats.example.test'],
  ['1and1.test', '1and1.test'],
  ['1.2.3.4.test', '1.2.3.4.test'],
  ['3com', '3com'],
  ['r3---sn-ab.test', 'r3---sn-ab.test'],
  ['ab--cd.test', 'ab--cd.test'],
  ['a.0xg', 'a.0xg'],
  ['faß.de', 'xn--fa-hia.de'],
  ['a.рф', 'a.xn--p1ai'],
  [`${'a'.repeat(63)}.test`, `${'a'.repeat(63)}.test`],
  [`${'a.'.repeat(126)}a.`, `${'a.'.repeat(126)}a`],
]

/** Texts near to hostnames, where mistakes would be. */
const nearHostnames = fc.oneof(
  fc.domain(),
  fc.string({ unit: anyCharacter, maxLength: 40 }),
  fc.string({
    unit: fc.constantFrom(...'aZ09-._:%@/\\`*\'"() []xn\t。．ſ\u212aüß\u200b\u00adא1６'),
    maxLength: 24,
  }),
  fc.string({ unit: anyCharacter, minLength: 1, maxLength: 5 }).map((label) => `${label}.test`),
  fc.string({ unit: fc.constantFrom(...'abcz0189-'), maxLength: 12 }).map((label) => `xn--${label}.test`),
  fc.ipV4Extended(),
  fc.ipV6(),
)

test.for(accepted)('the hostname %j is stored as %j', ([text, name]) => {
  assert.equal(normaliseHostname(text), name)
})

test('there are at least 60 colliding pairs, each with a name of its own', () => {
  assert.ok(collidingHostnames.length >= 60)
  const names = collidingHostnames.map(([first]) => normaliseHostname(first))
  assert.equal(new Set(names).size, collidingHostnames.length)
  assert.ok(collidingHostnames.every(([first, second]) => first !== second))
})

test.for(collidingHostnames)('%j and %j are one hostname', ([first, second]) => {
  const name = normaliseHostname(first)
  assert.match(name ?? '', NAME)
  assert.equal(normaliseHostname(second), name)
  assert.equal(normaliseHostname(name ?? ''), name)
})

test('there are at least 60 hostile hostnames', () => {
  assert.ok(new Set(hostileHostnames).size >= 60)
})

test.for(hostileHostnames)('the hostname %j is refused', (text) => {
  assert.equal(normaliseHostname(text), undefined)
})

test('whatever is accepted is a plain name that is its own spelling', () => {
  fc.assert(
    fc.property(nearHostnames, (text) => {
      const name = normaliseHostname(text)
      if (name === undefined) return
      assert.match(name, NAME)
      assert.ok(name.length <= 253 && name.split('.').every((label) => label.length <= 63))
      assert.equal(normaliseHostname(name), name)
      assert.equal(normaliseHostname(`${name.toUpperCase()}.`), name)
      assert.equal(normaliseHostname(domainToUnicode(name)), name)
      assert.equal(new URL(`http://${name}/`).hostname, name)
    }),
    { numRuns: runsOf(20_000) },
  )
})

test('a request for an accepted hostname in any spelling finds the stored name', () => {
  fc.assert(
    fc.property(nearHostnames, fc.integer({ min: 1, max: 65_535 }), (text, port) => {
      const hostname = normaliseHostname(text)
      if (hostname === undefined) return
      const bytes = Buffer.from(`${text}:${port}`).toString('latin1')
      assert.deepEqual(readHostHeader(bytes), { hostname, port })
      assert.deepEqual(readHostHeader(`${hostname}.`), { hostname, port: undefined })
    }),
    { numRuns: runsOf(10_000) },
  )
})

const headers: readonly [value: string, hostname: string, port: number | undefined][] = [
  ['a.test', 'a.test', undefined],
  ['A.TEST.:8080', 'a.test', 8080],
  ['a.test:1', 'a.test', 1],
  ['a.test:65535', 'a.test', 65_535],
  ['a.test:', 'a.test', undefined],
  ['localhost:80', 'localhost', 80],
  ['127.0.0.1', '127.0.0.1', undefined],
  ['127.0.0.1.:80', '127.0.0.1', 80],
  ['[::1]', '[::1]', undefined],
  ['[0:0:0:0:0:0:0:1]:8080', '[::1]', 8080],
  ['[2001:DB8::A]:80', '[2001:db8::a]', 80],
  ['[::ffff:127.0.0.1]', '[::ffff:7f00:1]', undefined],
  ['xn--bcher-kva.test', 'xn--bcher-kva.test', undefined],
  ['xn--a.test', 'xn--a.test', undefined],
  ['b\u00c3\u00bccher.test', 'xn--bcher-kva.test', undefined],
  ['b\u00fccher.test:80', 'xn--bcher-kva.test', 80],
  ['日本語.test', 'xn--wgv71a119e.test', undefined],
]

test.for(headers)('the Host header %j means %j', ([value, hostname, port]) => {
  assert.deepEqual(readHostHeader(value), { hostname, port })
})

const malformedHeaders = [
  '',
  ' ',
  '.',
  ':',
  ':80',
  '..',
  'a..b',
  'a.test..',
  '.a.test',
  '-a.test',
  'a_b.test',
  '*.a.test',
  'a@b',
  'a b',
  ' a',
  'a ',
  'a\tb',
  'a,b',
  'a, b',
  'a/b',
  'a\\b',
  'a?b',
  'a#b',
  'a%41',
  'a`b',
  "a'b",
  'a:b',
  'a:80:80',
  'a:80:',
  'a::80',
  'a:-1',
  'a:+80',
  'a: 80',
  'a:80 ',
  'a:0',
  'a:080',
  'a:65536',
  'a:1e2',
  'a:99999999999999999999',
  'http://a',
  'a:80/',
  'u:p@a:80',
  'a:８０',
  'a：80',
  'a:80\n',
  'a\0',
  '::1',
  '[::1',
  '::1]',
  '[]',
  '[::1]x',
  '[::1]:x',
  '[::1].',
  '[::1]:80:80',
  '[::1%lo]',
  '[::1%25lo]',
  '[a]',
  '[1.2.3.4]',
  '[::g]',
  '[[::1]]',
  '0x7f.1',
  '127.1',
  '2130706433',
  '0177.0.0.1',
  '1.2.3.256',
  'a.1',
  '１２７.0.0.1',
  '1.2.3.4.5',
  '\u0080.test',
  `${'a'.repeat(64)}.test`,
  'a.'.repeat(130),
]

test.for(malformedHeaders)('the Host header %j is malformed', (value) => {
  assert.equal(readHostHeader(value), undefined)
})

test('every Host header is read without an error, as a plain name or as an address', () => {
  fc.assert(
    fc.property(fc.oneof(nearHostnames, fc.string({ unit: anyCharacter })), (value) => {
      const host = readHostHeader(value)
      if (host !== undefined) assert.match(host.hostname, /^(\[[0-9a-f:]+\]|[a-z0-9.-]+)$/)
      if (host !== undefined) assert.equal(domainToASCII(host.hostname), host.hostname)
    }),
    { numRuns: runsOf(10_000) },
  )
})

const localNames = [
  'localhost',
  'LOCALHOST',
  'a.localhost',
  'a.b.localhost',
  '127.0.0.1',
  '127.255.0.9',
  '::1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
]
const otherNames = [
  '',
  'localhost.test',
  'notlocalhost',
  'a-localhost',
  '127.0.0.1.test',
  '127.test',
  '128.0.0.1',
  '0.0.0.0',
  '10.0.0.1',
  '::',
  '[::]',
  '::2',
  '[::1',
  '::ffff:8.8.8.8',
  '[fe80::1]',
  '172.16.0.1',
  '192.168.0.1',
]

test.for(localNames)('%j means this machine', (name) => {
  assert.equal(isLocalName(name), true)
})

test.for(otherNames)('%j may mean another machine', (name) => {
  assert.equal(isLocalName(name), false)
})
