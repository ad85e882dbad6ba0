import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'vitest'
import { edgesOf, number4, SPECIAL_4, SPECIAL_6 } from '../support/fixtures/url-guard-ranges.ts'
import {
  cutNetwork,
  listen,
  page,
  redirect,
  refusedFetch,
  say,
  startCanaries,
  tryFetch,
} from '../support/servers/url-fetch-tools.ts'
import { someInQuick } from '../support/tiers.ts'

/** Every way to write an IPv4 address that some program understands. */
function spellingsOf4(address: string): string[] {
  const bytes = address.split('.').map(Number)
  const [a = 0, b = 0, c = 0, d = 0] = bytes
  const number = Number(number4(address))
  const hex = (value: number, length = 0) => value.toString(16).padStart(length, '0')
  const octal = (value: number, zeros = 1) => `${'0'.repeat(zeros)}${value.toString(8)}`
  const wide = (text: string) =>
    text.replace(/[0-9]/g, (digit) => String.fromCharCode(digit.charCodeAt(0) + 0xfee0))
  const circled = (text: string) =>
    text.replace(/[0-9]/g, (digit) => (digit === '0' ? '⓪' : String.fromCharCode(0x2460 + Number(digit) - 1)))
  const high = hex(a * 256 + b)
  const low = hex(c * 256 + d)
  const flipped = `${hex((a * 256 + b) ^ 0xffff)}:${hex((c * 256 + d) ^ 0xffff)}`
  return [
    address,
    `${address}.`,
    String(number),
    `0x${hex(number)}`,
    `0X${hex(number, 8).toUpperCase()}`,
    octal(number),
    bytes.map((byte) => `0x${hex(byte)}`).join('.'),
    bytes.map((byte) => octal(byte)).join('.'),
    bytes.map((byte) => octal(byte, 5)).join('.'),
    `${a}.${(b * 256 + c) * 256 + d}`,
    `${a}.${b}.${c * 256 + d}`,
    `0x${hex(a)}.${octal(b)}.${c}.${d}`,
    `0x${'0'.repeat(20)}${hex(number)}`,
    wide(address),
    circled(address),
    address.replaceAll('.', '%2e'),
    address.replaceAll('.', '。'),
    address.replaceAll('.', '．'),
    `%3${address}`,
    address.replace(/[0-9]/g, (digit) => `%3${digit}`),
    address.replaceAll('.', '｡'),
    wide(String(number)),
    `[::ffff:${address}]`,
    `[::FFFF:${high}:${low}]`,
    `[0:0:0:0:0:ffff:${address}]`,
    `[::${address}]`,
    `[::${high}:${low}]`,
    `[64:ff9b::${address}]`,
    `[64:ff9b:1::${address}]`,
    `[::ffff:0:${address}]`,
    `[2002:${high}:${low}::]`,
    `[2002:${high}:${low}::${high}:${low}]`,
    `[fe80::5efe:${address}]`,
    `[fe80::200:5efe:${address}]`,
    `[2001::${high}:${low}]`,
    `[2001:0:${high}:${low}:8000:1:${flipped}]`,
  ]
}

const specials4 = SPECIAL_4.flatMap(edgesOf)
const specials6 = SPECIAL_6.flatMap(edgesOf).map((address) => `[${address}]`)
const zoned = ['fe80::1%eth0', 'fe80::1%25eth0', '::1%lo', '::1%25', 'fe80::1%1', '2606:4700::1%25eth0'].map(
  (address) => `[${address}]`,
)

const endings = 'localhost local internal localdomain lan home corp arpa onion test example invalid'.split(
  ' ',
)
const innerNames = [
  ...endings.flatMap((name) => [
    name,
    `${name}.`,
    `a.${name}`,
    `a.b.${name}.`,
    `A.${name.toUpperCase()}`,
    `${name}..`,
  ]),
  'metadata',
  'metadata.',
  'ip6-localhost',
  'kubernetes',
  'router',
  '_',
  'a',
  'com',
  'com.',
  'xn--a',
  'home.arpa',
  'ＬＯＣＡＬＨＯＳＴ',
  'loc\u200balhost',
  'loc\u00adalhost',
  'localhost\u3002',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'local%68ost',
  'a.ｌocal',
  'a..example.org',
  '.example.org',
  `${'a'.repeat(64)}.org`,
  `${'a.'.repeat(130)}org`,
  'a,b.org',
  "a'b.org",
  'a!.org',
]

const schemes = [
  'file:///etc/passwd',
  'FILE:///etc/passwd',
  'file://localhost/etc/passwd',
  'ftp://127.0.0.1/',
  'ftps://8.8.8.8/',
  'gopher://127.0.0.1:80/_x',
  'dict://127.0.0.1:11211/',
  'ldap://127.0.0.1/',
  'tftp://8.8.8.8/',
  'sftp://8.8.8.8/',
  'ws://127.0.0.1/',
  'wss://8.8.8.8/',
  'data:image/png;base64,AA==',
  'javascript:1',
  'about:blank',
  'jar:http://a!/',
  'view-source:http://127.0.0.1/',
  'blob:http://127.0.0.1/x',
  'unix:/run/x.sock',
  'http+unix://%2frun/x',
  'phar://x',
  'httpx://8.8.8.8/',
  'http',
  'http:',
  'http://',
  'https:///',
  '//127.0.0.1/',
  '/x',
  'x',
  '',
  ' ',
  '\0',
  '127.0.0.1',
  'h\nttp://127.0.0.1/',
  'http\u0000://127.0.0.1/',
  'ｈｔｔｐ://127.0.0.1/',
  'http;//127.0.0.1',
  'localhost:80',
]

const parsing = [
  'HTTP://127.0.0.1/',
  'hTTpS://127.0.0.1/',
  'http:127.0.0.1',
  'http:/127.0.0.1',
  'http:////127.0.0.1//',
  'http:\\\\127.0.0.1\\',
  'http:/\\127.0.0.1',
  'http://127.0.0.1\\@8.8.8.8/',
  'http://127.0.0.1\\.example.org/',
  'http://8.8.8.8@127.0.0.1/',
  'http://a:b@127.0.0.1/',
  'http://a:b@example.org/',
  'http://a@example.org/',
  'http://@127.0.0.1/',
  'http://:@127.0.0.1/',
  'http://:b@example.org/',
  'http://example.org:80@127.0.0.1/',
  'http://example.org%40127.0.0.1/',
  'http://a%20@127.0.0.1',
  'http://127.0.0.1#@example.org/',
  'http://127.0.0.1?@example.org/',
  'http://127.0.0.1;example.org/',
  'http://127.0.0.1,example.org/',
  '\thttp://127.0.0.1/',
  ' http://127.0.0.1/ ',
  'http://127.0.\n0.1/',
  'http://\r\n127.0.0.1/',
  'ht\ttp://127.0.0.1',
  'http://127.0.0.1%0d%0aHost:x/',
  'http://127.0.0.1%00.example.org/',
  'http://127.0.0.1%09/',
  'http://127.0.0.1%2f/',
  'http://127.0.0.1:80:80/',
  'http://127.0.0.1:/',
  'http://127.0.0.1:000080/',
  'http://127.0.0.1:99999/',
  'http://[127.0.0.1]/',
  'http://[::1/',
  'http://::1/',
  'http://[[::1]]/',
  'http://[::1].example.org/',
  'http://[]/',
  'http://127.0.0.1.example.org@[::1]/',
  'http://1.2.3.4.5/',
  'http://256.0.0.1/',
  'http://4294967296/',
  'http://-1/',
  ...[22, 25, 79, 81, 442, 444, 0, 1, 3306, 5432, 6379, 8080, 65_535].flatMap((port) => [
    `http://example.org:${port}/`,
    `https://8.8.8.8:${port}/`,
    `http://[2606:4700::1]:${port}/`,
  ]),
  `http://example.org/${'x'.repeat(2048 - 'http://example.org/'.length + 1)}`,
]

const urls = {
  'IPv4 addresses in every spelling': specials4.flatMap(spellingsOf4).map((host) => `http://${host}/x.png`),
  'the same by https': specials4
    .slice(0, 6)
    .flatMap(spellingsOf4)
    .map((host) => `https://${host}/x.png`),
  'public IPv4 addresses wrapped in IPv6': spellingsOf4('8.8.8.8')
    .filter((host) => host.startsWith('['))
    .map((host) => `http://${host}/x.png`),
  'IPv6 addresses': [...specials6, ...specials6.map((host) => host.toUpperCase()), ...zoned].map(
    (host) => `http://${host}/x.png`,
  ),
  'inner names': innerNames.map((host) => `http://${host}/x.png`),
  'other schemes': schemes,
  'tricks with the parser, credentials and ports': parsing,
}

/** A DNS that is asked and gives the addresses. */
function dnsWith(...addresses: string[]) {
  const dns = {
    questions: 0,
    resolve: async () => {
      dns.questions += 1
      return addresses
    },
  }
  return dns
}

const PUBLIC = '93.184.216.34'

describe('never fetched, never connected to, and not even looked up:', () => {
  for (const [what, all] of Object.entries(urls)) {
    const list = someInQuick(all, 100)
    test(`${list.length} URLs with ${what}`, async () => {
      await using canaries = await startCanaries()
      using network = cutNetwork()
      const dns = dnsWith(PUBLIC)
      for (const url of list) {
        await refusedFetch(url, dns)
        assert.equal(dns.questions, 0, url)
      }
      assert.deepEqual(network.dials, [])
      network[Symbol.dispose]()
      for (const url of list) await refusedFetch(url, dnsWith('127.0.0.1', '::1'))
      assert.equal(canaries.count(), 0)
    })
  }

  test('what only looks like two hosts leads to the one that is checked', async () => {
    using network = cutNetwork()
    const tails = [
      '#@127.0.0.1/',
      '?@127.0.0.1',
      '/@127.0.0.1',
      ':80/127.0.0.1',
      '\\@127.0.0.1',
      ':#@127.0.0.1',
    ]
    for (const tail of tails) await refusedFetch(`http://example.org${tail}`, dnsWith(PUBLIC))
    const dial = { host: 'example.org', port: 80, addresses: [PUBLIC] }
    assert.deepEqual(
      network.dials,
      Array.from(tails, () => dial),
    )
  })

  test('an address is refused for what it is, not for how it is written', async () => {
    for (const address of someInQuick(specials4.slice(0, 20), 5)) {
      for (const host of spellingsOf4(address).filter((spelling) => URL.canParse(`http://${spelling}/`))) {
        const { cause } = await refusedFetch(`http://${host}/`)
        assert.match(cause.message, /may not be reached/, host)
      }
    }
  })

  test('the watch on connections would notice one', async () => {
    using network = cutNetwork()
    await refusedFetch('http://8.8.8.8/')
    await refusedFetch('https://example.org/', dnsWith(PUBLIC))
    assert.equal(network.dials.length, 2)
    network[Symbol.dispose]()
    await using server = await listen(say(page('x')))
    assert.ok((await tryFetch(server.url(), { allow: server.allow })).file)
    assert.equal(server.connections, 1)
  })
})

const vectorFile = new URL('../support/fixtures/ssrf-vectors.json', import.meta.url)

interface Shared {
  direct: { u: string; v: string }[]
  dns: [kind: string, answer: string | string[]][]
  redir: [status: number, location: string][]
}

describe('collected vectors:', () => {
  const shared: Shared = JSON.parse(readFileSync(vectorFile, 'utf8'))

  test('URLs', async () => {
    await using canaries = await startCanaries()
    using network = cutNetwork()
    for (const { u, v } of shared.direct) {
      const dns = dnsWith('127.0.0.1', '::1')
      await refusedFetch(u, dns)
      if (v.startsWith('refuse')) assert.equal(dns.questions, 0, u)
    }
    assert.deepEqual(network.dials, [])
    network[Symbol.dispose]()
    for (const { u } of shared.direct) await refusedFetch(u, dnsWith('127.0.0.1', '::1'))
    assert.equal(canaries.count(), 0)
  })

  test('DNS answers', async () => {
    using network = cutNetwork()
    for (const [kind, answer] of shared.dns) {
      const list = [answer].flat()
      const turn = list.indexOf('=>')
      const answers = turn === -1 ? [list] : [list.slice(0, turn), list.slice(turn + 1)]
      let questions = 0
      await refusedFetch('http://rebind.example.org/', { resolve: async () => answers[questions++] ?? [] })
      assert.equal(questions, 1, kind)
      const handed = network.dials.splice(0).flatMap(({ addresses }) => addresses)
      assert.deepEqual(handed, turn === -1 ? [] : answers[0], kind)
    }
  })

  test('redirects', async () => {
    await using canaries = await startCanaries()
    for (const [status, location] of shared.redir.filter(([, text]) => !text.includes(' '))) {
      await using server = await listen(say(redirect(status, location)))
      await refusedFetch(server.url(), { allow: server.allow, ...dnsWith('127.0.0.1') })
      assert.equal(server.connections, 1)
    }
    assert.equal(canaries.count(), 0)
  })
})
