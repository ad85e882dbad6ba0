import assert from 'node:assert/strict'
import { isIP } from 'node:net'
import fc from 'fast-check'
import { test } from 'vitest'
import {
  addressKey,
  canonicalAddress,
  isCidr,
  isLoopback,
  parseAddressList,
} from '../../src/lib/net/addresses.ts'
import { runsOf } from '../support/tiers.ts'

const lists: readonly [list: string, inside: string[], outside: string[]][] = [
  ['', [], ['1.2.3.4', '::1', '']],
  [' \t\n', [], ['1.2.3.4', '::1']],
  [
    '1.2.3.4',
    ['1.2.3.4', '::ffff:1.2.3.4', '::FFFF:102:304', '0:0:0:0:0:ffff:1.2.3.4'],
    ['1.2.3.5', '::102:304'],
  ],
  ['::ffff:1.2.3.4', ['1.2.3.4', '::ffff:102:304'], ['1.2.3.5']],
  ['::ffff:10.0.0.0/104', ['10.9.8.7', '::ffff:a00:1'], ['11.0.0.0', '::a00:1']],
  ['::ffff:0:0/96', ['0.0.0.0', '255.255.255.255'], ['::1', '::']],
  ['10.1.2.3/8', ['10.0.0.0', '10.255.255.255'], ['9.255.255.255', '11.0.0.0', '::a00:0']],
  ['192.168.0.128/25', ['192.168.0.128', '192.168.0.255'], ['192.168.0.127', '192.168.1.0']],
  ['0.0.0.0/0', ['0.0.0.0', '255.255.255.255', '::ffff:8.8.8.8'], ['::', '2001:db8::1']],
  ['::/0', ['::', '2001:db8::1', 'ffff::'], ['1.2.3.4', '::ffff:1.2.3.4']],
  ['0.0.0.0/0,::/0', ['1.2.3.4', '::ffff:1.2.3.4', '::1', 'fe80::1%eth0'], ['', 'x', '1.2.3']],
  [' 1.2.3.4 ,\n 2001:DB8::/33 ', ['1.2.3.4', '2001:db8:7fff::1'], ['2001:db8:8000::']],
  ['fe80::/10', ['fe80::1', 'fe80::1%eth0', 'FEBF::1%2'], ['fec0::1', 'fec0::1%eth0']],
  ['2001:db8::1/128', ['2001:db8::1', '2001:0DB8:0:0::0001'], ['2001:db8::2']],
  [
    '127.0.0.1',
    ['127.0.0.1'],
    ['127.1', '0x7f.1', '2130706433', '0127.0.0.1', ' 127.0.0.1', '127.0.0.1 ', '1.2.2.355'],
  ],
]

test.for(lists)('the list %j holds %j and not %j', ([text, inside, outside]) => {
  const list = parseAddressList(text)
  assert.equal(list.isEmpty, text.trim() === '')
  for (const address of inside) assert.equal(list.has(address), true, address)
  for (const address of outside) assert.equal(list.has(address), false, address)
})

const badEntries = [
  '1.2.3',
  '1.2.3.256',
  '01.2.3.4',
  '0x7f.0.0.1',
  '127.1',
  '1.2.3.4.',
  'localhost',
  'a.test',
  '*',
  '1.2.3.4:80',
  '1.2.3.4/33',
  '1.2.3.4/-1',
  '1.2.3.4/',
  '1.2.3.4/08',
  '1.2.3.4/8/8',
  '1.2.3.4/8x',
  '1.2.3.4 /8',
  '/8',
  '/',
  '1.2.3.4/255.0.0.0',
  '1.2.3.4/1e1',
  '10.0.0.1 10.0.0.2',
  '1.2.3.4-1.2.3.9',
  '1.2.3.4;5.6.7.8',
  '::1/129',
  '::1/',
  ':::',
  '[::1]',
  '::g',
  '::1/0x8',
  '1::2::3',
  'fe80::1%eth0',
  'fe80::%eth0/10',
  '::ffff:1.2.3.4/200',
]

test.for(badEntries)('a list with the entry %j is refused by its name', (entry) => {
  for (const text of [entry, `1.2.3.4, ${entry}`, `${entry},::1`]) {
    assert.throws(
      () => parseAddressList(text),
      (error: Error) => error.message.includes(`"${entry}"`),
    )
  }
})

test.for([',', '1.2.3.4,', ',1.2.3.4', '1.2.3.4,,::1', ' , '])(
  'the list %j with an empty entry is refused',
  (text) => {
    assert.throws(() => parseAddressList(text), /"" is not an address/)
  },
)

test('a list holds exactly the addresses that share its prefix', () => {
  const bits = (address: number, length: number) => address.toString(2).padStart(32, '0').slice(0, length)
  const dotted = (address: number) => [24, 16, 8, 0].map((shift) => (address >>> shift) & 255).join('.')
  const number = fc.integer({ min: 0, max: 2 ** 32 - 1 })
  fc.assert(
    fc.property(
      number,
      number,
      fc.integer({ min: 0, max: 32 }),
      fc.boolean(),
      (one, noise, length, isNear) => {
        const other = isNear ? (one ^ (noise >>> length)) >>> 0 : noise
        const list = parseAddressList(`${dotted(one)}/${length}`)
        const expected = bits(one, length) === bits(other, length)
        assert.equal(list.has(dotted(other)), expected)
        assert.equal(list.has(`::ffff:${dotted(other)}`), expected)
        assert.equal(parseAddressList(`::ffff:${dotted(one)}/${96 + length}`).has(dotted(other)), expected)
      },
    ),
  )
})

const canonical: readonly [address: string, expected: string | undefined][] = [
  ['1.2.3.4', '1.2.3.4'],
  ['::ffff:1.2.3.4', '1.2.3.4'],
  ['::FFFF:7f00:1', '127.0.0.1'],
  ['0:0:0:0:0:ffff:c0a8:1', '192.168.0.1'],
  ['0000:0000::ffff:255.255.255.255', '255.255.255.255'],
  ['::ffff:0:0', '0.0.0.0'],
  ['::ffff:1.2.3.4%eth0', '1.2.3.4'],
  ['::1.2.3.4', '::102:304'],
  ['::ffff:0:1.2.3.4', '::ffff:0:102:304'],
  ['2001:0DB8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['FE80::1%eth0', 'fe80::1'],
  ['::', '::'],
  ['', undefined],
  ['1.2.3', undefined],
  ['01.2.3.4', undefined],
  ['1.2.3.4%eth0', undefined],
  [' 1.2.3.4', undefined],
  ['1.2.3.4\n', undefined],
  ['[::1]', undefined],
  ['fe80::1%', undefined],
  ['localhost', undefined],
  ['unknown', undefined],
]

test.for(canonical)('the one spelling of %j is %j', ([address, expected]) => {
  assert.equal(canonicalAddress(address), expected)
})

test('each address has one spelling, which an address list of it holds', () => {
  fc.assert(
    fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
      const spelling = canonicalAddress(address)
      assert.ok(spelling !== undefined && isIP(spelling) !== 0)
      assert.equal(canonicalAddress(spelling), spelling)
      assert.equal(canonicalAddress(address.toUpperCase()), spelling)
      assert.equal(parseAddressList(address).has(spelling), true)
      assert.equal(parseAddressList(spelling).has(address), true)
    }),
    { numRuns: runsOf(2000) },
  )
})

test('what is no address is never in a list and never an error', () => {
  const everything = parseAddressList('0.0.0.0/0,::/0')
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.ipV4Extended(), fc.string({ unit: fc.constantFrom(...'0123abf:.%/x ') })),
      (text) => {
        assert.equal(everything.has(text), isIP(text) !== 0)
      },
    ),
    { numRuns: runsOf(5000) },
  )
})

test('an address is loopback in all its spellings, and no other is', () => {
  const own = [
    '127.0.0.1',
    '127.255.255.254',
    '::1',
    '0:0:0:0:0:0:0:1',
    '::1%lo',
    '::ffff:127.0.0.1',
    '::FFFF:7f00:1',
  ]
  const others = [
    '128.0.0.1',
    '0.0.0.0',
    '::',
    '::2',
    '1::1',
    '10.0.0.1',
    '172.16.0.1',
    '::127.0.0.1',
    '',
    'localhost',
    '127.1',
  ]
  for (const address of own) assert.equal(isLoopback(address), true, address)
  for (const address of others) assert.equal(isLoopback(address), false, address)
})

test('a CIDR range is an address with a prefix length that fits', () => {
  const ranges = [
    '0.0.0.0/0',
    '10.0.0.0/8',
    '1.2.3.4/32',
    '::/0',
    '2001:db8::/32',
    '::1/128',
    '::ffff:1.2.3.4/96',
  ]
  const others = [
    '',
    '/',
    '1.2.3.4',
    '::1',
    '1.2.3.4/33',
    '::1/129',
    '1.2.3.4/08',
    ' 10.0.0.0/8',
    '10.0.0.0/8 ',
    '10/8',
    'fe80::%1/10',
  ]
  for (const text of ranges) assert.equal(isCidr(text), true, text)
  for (const text of others) assert.equal(isCidr(text), false, text)
})

test('the network of an address is itself in IPv4, and its first 64 bits in IPv6', () => {
  for (const [address, network] of [
    ['198.51.100.7', '198.51.100.7'],
    ['::ffff:198.51.100.7', '198.51.100.7'],
    ['2001:DB8::1', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['1::2:3:4:5', '1:0:0:0::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['fe80::1%eth0', 'fe80:0:0:0::/64'],
    ['', ''],
  ] as const)
    assert.equal(addressKey(address), network)

  const half = fc.tuple(...Array.from({ length: 4 }, () => fc.integer({ min: 0, max: 0xffff })))
  const spelled = (groups: readonly number[]) => groups.map((group) => group.toString(16)).join(':')
  fc.assert(
    fc.property(half, half, half, half, (front, back, otherFront, otherBack) => {
      // Addresses of IPv4 in the other's clothes are told apart in full.
      fc.pre(front.some(Boolean) && otherFront.some(Boolean))
      const network = addressKey(spelled([...front, ...back]))
      assert.equal(addressKey(spelled([...front, ...otherBack])), network)
      const isSame = spelled(front) === spelled(otherFront)
      assert.equal(addressKey(spelled([...otherFront, ...back])) === network, isSame)
    }),
  )
})
