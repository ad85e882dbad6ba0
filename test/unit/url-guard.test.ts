import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { isPublicUnicast } from '../../src/lib/net/public-addresses.ts'
import { parseUrlAllow } from '../../src/lib/net/url-allow.ts'
import { mayReach, readTarget } from '../../src/lib/net/url-guard.ts'
import { edgesOf, SPECIAL_4, SPECIAL_6, textOf4, textOf6 } from '../support/fixtures/url-guard-ranges.ts'
import { runsOf } from '../support/tiers.ts'

const nothing = parseUrlAllow('')

describe('public addresses', () => {
  test.for([...SPECIAL_4, ...SPECIAL_6])('none is in %s', (range) => {
    for (const address of edgesOf(range)) assert.equal(isPublicUnicast(address), false, address)
  })

  const neighbours = [
    '1.0.0.0',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '169.255.0.0',
    '172.15.255.255',
    '172.32.0.0',
    '191.255.255.255',
    '192.0.1.0',
    '192.0.3.0',
    '192.88.98.255',
    '192.88.100.0',
    '192.167.255.255',
    '192.169.0.0',
    '198.17.255.255',
    '198.20.0.0',
    '198.51.99.255',
    '198.51.101.0',
    '203.0.112.255',
    '203.0.114.0',
    '223.255.255.255',
    '168.63.129.15',
    '168.63.129.17',
    '8.8.8.8',
    '2001:200::',
    '2001:db7:ffff::',
    '2001:db9::',
    '2003::',
    '2000::',
    '2001:4860:4860::8888',
    '2606:4700::1111',
    '3ffe:ffff::',
    '3fff:1000::',
    '2A00:1450::1',
    '3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff',
  ]
  test.for(neighbours)('%s beside a special range is one', (address) => {
    assert.equal(isPublicUnicast(address), true)
  })

  test.for([
    '',
    ' ',
    '8.8.8.8 ',
    '8.8.8',
    '08.8.8.8',
    '0x8.8.8.8',
    '134744072',
    '[2606:4700::1]',
    'a.example.org',
    '2606:4700::1%eth0',
    '::8.8.8.8',
    '::ffff:8.8.8.8',
    '::ffff:0:8.8.8.8',
    '64:ff9b::8.8.8.8',
    '2002:808:808::',
  ])('%j is none', (text) => assert.equal(isPublicUnicast(text), false))

  test('every IPv4 address is judged as by arithmetic, and no IPv6 form of it is public', () => {
    const ranges = SPECIAL_4.map((range) => {
      const [address = '', bits] = range.split('/')
      const first = address.split('.').reduce((sum, byte) => sum * 256 + Number(byte), 0)
      return { first, last: first + 2 ** (32 - Number(bits)) - 1 }
    })
    const bits32 = fc.oneof(
      fc.nat(0xffffffff),
      fc.constantFrom(...ranges.flatMap(({ first, last }) => [first, last])),
    )
    fc.assert(
      fc.property(bits32, fc.constantFrom(-1, 0, 1), (place, step) => {
        const number = Math.min(Math.max(place + step, 0), 0xffffffff)
        const address = textOf4(number)
        const isSpecial = ranges.some(({ first, last }) => number >= first && number <= last)
        assert.equal(isPublicUnicast(address), !isSpecial, address)
        for (const wrapper of ['::', '::ffff:', '::ffff:0:', '64:ff9b::', '64:ff9b:1::', 'fe80::5efe:'])
          assert.equal(isPublicUnicast(wrapper + address), false, wrapper + address)
      }),
      { numRuns: runsOf(2000) },
    )
  })

  test('every IPv6 address outside 2000::/3 is refused', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 128n - 1n }), (number) => {
        if (number >> 125n !== 1n) assert.equal(isPublicUnicast(textOf6(number)), false)
      }),
      { numRuns: runsOf(2000) },
    )
  })
})

const allowed: [list: string, reached: string[], refused: string[]][] = [
  ['', [], ['http://minio/', 'http://10.0.0.1/', 'http://a.lan/']],
  [' \n', [], ['http://minio/']],
  [
    'minio',
    ['http://minio/', 'https://MINIO./', 'http://minio:443/'],
    ['http://minio:9000/', 'http://a.minio/'],
  ],
  ['minio:9000', ['http://minio:9000/', 'https://minio:9000/'], ['http://minio/', 'http://minio:9001/']],
  [
    'Files.LAN., b.lan:8080',
    ['http://files.lan/', 'http://b.lan:8080'],
    ['http://files.lan:8080', 'http://b.lan'],
  ],
  ['bücher.lan', ['http://bücher.lan/', 'http://xn--bcher-kva.lan/'], ['http://bucher.lan/']],
  ['my_host-1', ['http://my_host-1/'], ['http://my-host-1/']],
  ['files.example.org:8443', ['https://files.example.org:8443/'], ['https://example.org:8443/']],
  [
    '10.0.0.0/8',
    ['http://10.0.0.0/', 'https://10.255.255.255/'],
    ['http://11.0.0.1:81/', 'http://10.0.0.1:81/'],
  ],
  [
    '10.0.0.0/8:81',
    ['http://10.1.2.3:81/', 'http://0xa000001:81/'],
    ['http://10.1.2.3/', 'http://10.1.2.3:82/'],
  ],
  ['127.0.0.1:8080', ['http://127.1:8080/', 'http://[::ffff:127.0.0.1]:8080/'], ['http://127.0.0.2:8080/']],
  [
    'fd00::/8',
    ['http://[fd00::1]/', 'http://[fdff::1]:443/'],
    ['http://[fc00::1]/', 'http://[fd00::1]:8080/'],
  ],
  ['[fd00::/8]:8080', ['http://[fd00::1]:8080/'], ['http://[fd00::1]/', 'http://[fe00::1]:8080/']],
  ['[fd00::]/8:8080', ['http://[fd00::1]:8080/'], ['http://[fd00::1]/']],
  ['[::1]:8080,::1', ['http://[::1]:8080/', 'http://[0:0::1]/'], ['http://[::1]:81/', 'http://[::2]/']],
  ['[::1]', ['http://[::1]/'], ['http://[::1]:8080/', 'http://127.0.0.1/']],
  ['0.0.0.0/0', ['http://127.0.0.1/', 'http://169.254.169.254/'], ['http://[::1]/', 'http://127.0.0.1:81/']],
]

/** Whether a URL would be fetched whose host is an address, or a name that leads to nowhere public. */
function isAllowed(url: string, list: string, address = '192.168.7.7'): boolean {
  const allow = parseUrlAllow(list)
  try {
    const target = readTarget(url, allow)
    return mayReach(target, isIP(target.hostname) === 0 ? address : target.hostname, allow)
  } catch {
    return false
  }
}

test.for(allowed)('the list %j lets %j through and not %j', ([list, reached, refused]) => {
  for (const url of reached) assert.equal(isAllowed(url, list), true, url)
  for (const url of refused) assert.equal(isAllowed(url, list), false, url)
})

test('a range lets through each name that leads into it, but no name that leads elsewhere', () => {
  for (const url of [
    'http://files/',
    'http://files.lan/',
    'http://files.example.org/',
    'http://localhost/',
  ]) {
    assert.equal(isAllowed(url, '10.0.0.0/8', '10.1.2.3'), true, url)
    assert.equal(isAllowed(url, '10.0.0.0/8', '11.1.2.3'), url.includes('example'), url)
    assert.equal(isAllowed(url, '10.0.0.0/8', '192.168.0.1'), false, url)
    assert.equal(isAllowed(url, '10.0.0.0/8:8080', '10.1.2.3'), false, url)
  }
  assert.equal(isAllowed('http://files.example.org:8080/', '10.0.0.0/8:8080', '10.1.2.3'), true)
  assert.equal(isAllowed('http://files.example.org:8080/', '10.0.0.0/8:8080', '8.8.8.8'), false)
})

test('a URL has at most 2,048 characters', () => {
  const url = 'https://example.org/'.padEnd(2048, 'x')
  assert.equal(readTarget(url, nothing).hostname, 'example.org')
  assert.throws(() => readTarget(`${url}x`, nothing))
  assert.throws(() => readTarget(`${url}x`, parseUrlAllow('example.org')))
})

test('the list never lets other schemes, credentials or too long URLs through', () => {
  const list = 'files.lan,files.lan:21,10.0.0.0/8'
  for (const url of ['ftp://files.lan/', 'http://a@files.lan/', `http://files.lan/${'x'.repeat(2048)}`])
    assert.equal(isAllowed(url, list), false, url)
})

const bad = [
  ',',
  'a,',
  ',a',
  'a,,b',
  '*',
  '*.lan',
  'http://a',
  'a/',
  'a/8',
  'a b',
  'a@b',
  'a:',
  ':80',
  'a:0',
  'a:65536',
  'a:x',
  'a:-1',
  'a:80:80',
  'a:080',
  '10.0.0.0/33',
  '10.0.0/8',
  '127.1',
  '0x7f.1',
  '1.2.3.4.5',
  '1.2.3.4/8/8',
  '[::1',
  '::1]',
  '[10.0.0.1]:80',
  '[a]:80',
  '[::1]80',
  '[::1]:',
  'fd00::/129',
  '[fd00::/8]/8',
  'fe80::1%eth0',
  'a..b',
  '.a',
  'a%2eb',
  `${'a'.repeat(64)}.lan`,
  'a;b',
  'a#b',
  'a?b',
  'a\\b',
  '::g',
  '[]',
  '[]:80',
  'a_b:',
]
test.for(bad)('the list %j is an error that names the entry', (text) => {
  const entries = text.split(',')
  assert.throws(
    () => parseUrlAllow(text),
    (error: Error) => entries.some((entry) => error.message.includes(`"${entry}"`)),
  )
  assert.throws(() => parseUrlAllow(`files.lan, ${text} ,10.0.0.0/8`))
})

test('no text breaks the reading of a URL: it is refused or leads to a checked place', () => {
  const part = fc.constantFrom(
    'http',
    'https',
    ':',
    '/',
    '//',
    '\\',
    '@',
    '127.0.0.1',
    'localhost',
    '[::1]',
    '.',
    '%2e',
  )
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.array(fc.oneof(part, fc.string()), { maxLength: 8 }),
  )
  fc.assert(
    fc.property(text, (words) => {
      const url = typeof words === 'string' ? words : `http://${words.join('')}`
      try {
        const target = readTarget(url, nothing)
        assert.ok(target.isPublic && [80, 443].includes(target.port))
        assert.equal(mayReach(target, '127.0.0.1', nothing), false)
      } catch (error) {
        assert.ok(error instanceof Error && !(error instanceof RangeError))
        assert.notEqual(error.name, 'AssertionError')
      }
    }),
    { numRuns: runsOf(3000) },
  )
})
