import assert from 'node:assert/strict'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { describe, test } from 'vitest'
import { addressKey, canonicalAddress, isLoopback, parseAddressList } from '../../src/lib/net/addresses.ts'
import { isPublicUnicast } from '../../src/lib/net/public-addresses.ts'

// Our parsing of addresses against ipaddr.js, the parser that Fastify uses. Texts that ipaddr.js accepts and we refuse,
// because programs disagree about what they mean:
// - IPv4 in octal, hexadecimal, as one number or with fewer than four parts (0177.1, 0x7f000001, 127.1);
// - IPv4 parts with leading zeros or in hexadecimal at the end of an IPv6 address (::ffff:010.0.0.1, ::ffff:1.1.0x1.1);
// Texts that both accept, with a different meaning: ipaddr.js reads the IPv4-compatible ::1.2.3.4 as ::ffff:1.2.3.4.
// RFC 4291, 2.5.5.1 has it as ::102:304, and so have we.

/** The address by ipaddr.js, in its strict forms. */
function referenceOf(text: string): ipaddr.IPv4 | ipaddr.IPv6 | undefined {
  if (ipaddr.IPv4.isValidFourPartDecimal(text)) return ipaddr.IPv4.parse(text)
  if (!text.includes(':') || !ipaddr.IPv6.isValid(text) || hasOddNumber(text)) return undefined
  const address = ipaddr.IPv6.parse(text)
  return address.isIPv4MappedAddress() ? address.toIPv4Address() : address
}

/** In the IPv4 part at the end of an IPv6 address: one that is octal or hexadecimal to some programs. */
const hasOddNumber = (text: string) => /[:.]0[\dx][\da-f]*(?=\.|$|%)/i.test(text) && text.includes('.')

const bytesOf = (address: ipaddr.IPv4 | ipaddr.IPv6) => address.toByteArray().join(' ')

const byte = fc.integer({ min: 0, max: 255 })
const ipv4 = fc.tuple(byte, byte, byte, byte).map((bytes) => bytes.join('.'))
const isCompatible = (text: string) => /^::[\d.]+\.\d+$/.test(text)
const anyIpv6 = fc.ipV6().filter((text) => !isCompatible(text))
const ipv6 = fc.oneof(
  anyIpv6,
  fc
    .tuple(fc.constantFrom('::ffff:', '64:ff9b::', '0:0:0:0:0:ffff:', '::FFFF:0:'), ipv4)
    .map(([head, tail]) => head + tail),
  fc
    .array(fc.constantFrom('0', '1', 'ff', 'abcd', 'FFFF', '00a0', ''), { minLength: 2, maxLength: 9 })
    .map((groups) => groups.join(':')),
)

/** An address with a few characters removed, added, replaced or doubled. */
const mutated = fc
  .tuple(
    fc.oneof(ipv4, ipv6),
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 2 }), fc.constantFrom(...'0179afFx.:/% -g')), { maxLength: 3 }),
  )
  .map(([text, edits]) =>
    edits.reduce((all, [at, removed, added]) => {
      const index = at % (all.length + 1)
      return all.slice(0, index) + added + all.slice(index + removed)
    }, text),
  )

const texts = fc.oneof(ipv4, ipv6, mutated)
/** Zones are compared by themselves: Node takes other characters in them than ipaddr.js. */
const withoutZone = texts.filter((text) => !text.includes('%') && !isCompatible(text))
const runs = { numRuns: 3_000 }

describe('addresses, beside ipaddr.js', () => {
  test('are valid in both or in neither, and have the same bytes', () => {
    fc.assert(
      fc.property(withoutZone, (text) => {
        const [ours, reference] = [canonicalAddress(text), referenceOf(text)]
        assert.equal(ours !== undefined, reference !== undefined, text)
        if (ours !== undefined && reference !== undefined)
          assert.equal(bytesOf(ipaddr.parse(ours)), bytesOf(reference), text)
      }),
      runs,
    )
  })

  test('have one canonical text, which is its own canonical text', () => {
    fc.assert(
      fc.property(withoutZone, withoutZone, (one, other) => {
        const [a, b] = [referenceOf(one), referenceOf(other)]
        if (!a || !b) return
        assert.equal(canonicalAddress(one) === canonicalAddress(other), bytesOf(a) === bytesOf(b))
        assert.equal(canonicalAddress(canonicalAddress(one) ?? ''), canonicalAddress(one))
      }),
      runs,
    )
  })

  test.for([
    '0177.0.0.1',
    '0x7f.0.0.1',
    '127.1',
    '2130706433',
    '0x7f000001',
    '127.0.0.01',
    '::ffff:010.0.0.1',
  ])('%s is an address for ipaddr.js and none for us', (text) => {
    assert.equal(ipaddr.isValid(text), true)
    assert.equal(canonicalAddress(text), undefined)
    assert.equal(isPublicUnicast(text), false)
    assert.throws(() => parseAddressList(text))
  })

  test('an IPv4-compatible address is not the IPv4-mapped one', () => {
    assert.equal(canonicalAddress('::1.2.3.4'), '::102:304')
    assert.equal(ipaddr.parse('::1.2.3.4').toString(), '::ffff:102:304')
    assert.equal(parseAddressList('1.2.3.4').has('::1.2.3.4'), false)
  })

  test('a zone does not change the bytes, and is never public', () => {
    fc.assert(
      fc.property(ipv6, fc.stringMatching(/^[a-z0-9]{1,8}$/), (text, zone) => {
        const reference = referenceOf(text)
        if (!reference) return
        assert.equal(canonicalAddress(`${text}%${zone}`), canonicalAddress(text))
        assert.equal(isPublicUnicast(`${text}%${zone}`), false)
      }),
    )
  })

  test('are in a CIDR range exactly if ipaddr.js finds them there', () => {
    const range = fc.tuple(fc.oneof(ipv4, anyIpv6), fc.nat({ max: 128 }))
    fc.assert(
      fc.property(range, fc.oneof(ipv4, anyIpv6), fc.boolean(), ([network, bits], other, isNear) => {
        const parsed = ipaddr.parse(network)
        if (
          parsed.kind() === 'ipv4'
            ? bits > 32
            : bits > 128 || (referenceOf(network)?.kind() === 'ipv4' && bits < 96)
        )
          return
        // Half of the addresses share the range's first bytes, else almost none would be in it.
        const address = isNear ? nearTo(parsed, bits) : other
        const [reference, base] = [referenceOf(address), referenceOf(network)]
        if (!reference || !base) return
        const prefix = base.kind() === parsed.kind() ? bits : bits - 96
        const isInside = reference.kind() === base.kind() && matches(reference, base, prefix)
        assert.equal(
          parseAddressList(`${network}/${bits}`).has(address),
          isInside,
          `${address} in ${network}/${bits}`,
        )
      }),
      runs,
    )
  })

  test('that are public for us are unicast for ipaddr.js', () => {
    fc.assert(
      fc.property(withoutZone, (text) => {
        if (!isPublicUnicast(text)) return
        assert.equal(ipaddr.parse(text).range(), 'unicast', text)
      }),
      runs,
    )
  })

  test('that ipaddr.js calls loopback are loopback for us, mapped into IPv6 too', () => {
    for (const text of ['127.0.0.1', '127.255.255.254', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1']) {
      assert.equal(referenceOf(text)?.range(), 'loopback')
      assert.equal(isLoopback(text), true)
    }
  })

  test('share a key in IPv6 exactly if they share the first 64 bits', () => {
    fc.assert(
      fc.property(anyIpv6, anyIpv6, fc.boolean(), (one, second, isNear) => {
        const a = referenceOf(one)
        const other = isNear && a ? nearTo(a, 64) : second
        const b = referenceOf(other)
        if (a?.kind() !== 'ipv6' || b?.kind() !== 'ipv6') return
        assert.equal(addressKey(one) === addressKey(other), matches(a, b, 64))
      }),
      runs,
    )
  })
})

const matches = (
  address: ipaddr.IPv4 | ipaddr.IPv6,
  base: ipaddr.IPv4 | ipaddr.IPv6,
  bits: number,
): boolean => (address as ipaddr.IPv6).match(base as ipaddr.IPv6, bits)

/** The address with every bit behind the prefix flipped. */
function nearTo(address: ipaddr.IPv4 | ipaddr.IPv6, bits: number): string {
  const bytes = address.toByteArray().map((each, index) => {
    const kept = Math.min(8, Math.max(0, bits - index * 8))
    return each ^ (0xff >> kept)
  })
  return ipaddr.fromByteArray(bytes).toString()
}
