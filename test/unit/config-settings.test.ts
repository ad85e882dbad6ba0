import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'vitest'
import { type Config, ConfigFaults, type Environment, readConfig } from '../../src/config.ts'

const read = (environment: Environment) => readConfig(environment, '/home/terrace')

function faultsOf(environment: Environment): readonly string[] {
  try {
    read(environment)
    return []
  } catch (error) {
    assert.ok(error instanceof ConfigFaults)
    return error.list
  }
}

const key = randomBytes(32).toString('base64')
const otherKey = randomBytes(32).toString('base64')

type Pick = (config: Config) => unknown
const listen: Pick = (config) => `${config.listen.host} ${config.listen.port}`

/** Each setting with values that are taken, and with values that are not. */
const settings: [name: string, pick: Pick, good: [value: string, taken: unknown][], bad: string[]][] = [
  [
    'SERVICE_LISTEN',
    listen,
    [
      ['0.0.0.0:80', '0.0.0.0 80'],
      ['localhost:65535', 'localhost 65535'],
      [':9000', '127.0.0.1 9000'],
      ['[::1]:1', '::1 1'],
      [' 127.0.0.1:1 ', '127.0.0.1 1'],
    ],
    [
      '8080',
      '127.0.0.1:0',
      'localhost',
      '::1:80',
      '[::1]',
      '127.0.0.1:65536',
      '127.0.0.1:-1',
      '127.0.0.1:08',
      'a b:80',
      '*:80',
      '999.0.0.1:80',
      '[zz]:80',
      'http://a:80',
      'a_b:80',
    ],
  ],
  [
    'PORT',
    listen,
    [
      ['1', '127.0.0.1 1'],
      ['3000', '127.0.0.1 3000'],
    ],
    ['0', 'x', '65536', '-1', '80.5', '1e3', '080'],
  ],
  [
    'SERVICE_INTERNAL_PORT',
    (config) => config.internalPort,
    [['9090', 9090]],
    ['0', 'x', '65536', '8080', '127.0.0.1:9090'],
  ],
  ['SERVICE_SHARED_FILES', (config) => config.isFilesShared, [['1', true]], ['yes', '2']],
  [
    'SERVICE_KEEP_ALIVE_SECONDS',
    ({ connections }) => connections.keepAliveMs,
    [['620', 620_000]],
    ['0', '-1', '1.5', '1s', 'x', '3601'],
  ],
  [
    'SERVICE_MIN_BYTES_PER_SECOND',
    ({ connections }) => connections.minBytesPerSecond,
    [['1', 1]],
    ['0', '-1', '1.5', '1s', 'x', '1000001'],
  ],
  [
    'SERVICE_BODY_STALL_SECONDS',
    ({ connections }) => connections.bodyStallMs,
    [['30', 30_000]],
    ['0', '-1', '1.5', '1s', 'x', '3601'],
  ],
  [
    'SERVICE_ANSWER_STALL_SECONDS',
    ({ connections }) => connections.answerStallMs,
    [['300', 300_000]],
    ['0', '-1', '1.5', '1s', 'x', '3601'],
  ],
  [
    'SERVICE_READERS_PER_ADDRESS',
    ({ connections }) => connections.readersPerAddress,
    [['7', 7]],
    ['0', '-1', '1.5', '1s', 'x', '100001'],
  ],
  [
    'SERVICE_UNAUTHENTICATED_BYTES',
    ({ connections }) => connections.unauthenticatedBytes,
    [['1G', 1_000_000_000]],
    ['0', '-1', '1.5', '1T', 'x'],
  ],
  [
    'SERVICE_UNAUTHENTICATED_BYTES_PER_ADDRESS',
    ({ connections }) => connections.unauthenticatedBytesPerAddress,
    [['500', 500]],
    ['0', '1 M', 'x'],
  ],
  [
    'SERVICE_PROCESSES',
    ({ processes }) => processes,
    [
      ['4', 4],
      ['auto', 'auto'],
    ],
    ['0', '-1', '1.5', 'x', '65'],
  ],
  [
    'SERVICE_STOP_SECONDS',
    ({ connections }) => connections.stopMs,
    [['25', 25_000]],
    ['0', '-1', '1.5', '1s', 'x', '26'],
  ],
  [
    'SERVICE_ARCHIVE_PASSPHRASE',
    ({ archivePassphrase }) => archivePassphrase,
    [['eight ch', 'eight ch']],
    ['x', 'seven c'],
  ],
  [
    'SERVICE_SMTP_URL',
    ({ mail }) => mail.url,
    [
      ['smtp://a:b@mail.example.com:587', 'smtp://a:b@mail.example.com:587'],
      ['smtps://[::1]', 'smtps://[::1]'],
      ['smtp://mail.example.com?starttls=optional', 'smtp://mail.example.com?starttls=optional'],
      ['smtp://mail.example.com?starttls=required', 'smtp://mail.example.com?starttls=required'],
    ],
    [
      'mail.example.com',
      'http://mail.example.com',
      'smtp://',
      'x',
      'smtp://mail.example.com?starttls=never',
      'smtp://mail.example.com?tls=required',
      'smtp://mail.example.com?starttls=required&starttls=optional',
      'smtps://mail.example.com?starttls=optional',
    ],
  ],
  [
    'SERVICE_MAIL_FROM',
    ({ mail }) => mail.from,
    [
      ['media@example.com', 'media@example.com'],
      ['Media <media@example.com>', 'Media <media@example.com>'],
    ],
    ['media', '<media>', 'a@b@c', 'Media <a b@c>'],
  ],
  [
    'FFMPEG_PATH',
    ({ ffmpeg }) => (ffmpeg.isOff ? 'off' : ffmpeg.named),
    [
      ['/usr/bin/ffmpeg', '/usr/bin/ffmpeg'],
      ['none', 'off'],
    ],
    ['ffmpeg', './ffmpeg', 'None'],
  ],
  [
    'SERVICE_DATA_DIR',
    (config) => config.dataDir,
    [
      ['/var/lib/t', '/var/lib/t'],
      ['x/y', '/home/terrace/x/y'],
      ['../x', '/home/x'],
    ],
    [],
  ],
  [
    'SERVICE_DATABASE_URL',
    (config) => config.databaseUrl,
    [
      ['postgres://u:p@h:5432/d', 'postgres://u:p@h:5432/d'],
      ['postgresql://h/d', 'postgresql://h/d'],
    ],
    ['mysql://h/d', 'h:5432', 'sqlite:x.db', '/data/x.db', 'postgres'],
  ],
  [
    'SERVICE_ENCRYPTION_KEY',
    (config) => config.encryptionKeys?.map((each) => Buffer.from(each).toString('base64')),
    [
      [key, [key]],
      [`${key},${otherKey}`, [key, otherKey]],
      [` ${key} , ${otherKey} `, [key, otherKey]],
    ],
    ['short', key.slice(4), `${key}AAAA`, `${key},`, `${key},short`],
  ],
  [
    'SERVICE_TENANTS_API_REQUIRE_V2',
    (config) => config.isV2Required,
    [
      ['1', true],
      ['0', false],
    ],
    ['yes', 'true', '2', '01'],
  ],
  [
    'SERVICE_TENANTS_API_IP_ALLOW_LIST',
    (config) => config.apiAllowList.has('10.1.2.3'),
    [
      ['10.0.0.0/8', true],
      ['::1, 10.1.2.3', true],
      ['10.1.2.4', false],
    ],
    [
      'x',
      '10.0.0.0/33',
      '10.0.0.1,',
      '10.0.0',
      '::1/129',
      'localhost',
      '*',
      '10.0.0.1 10.0.0.2',
      'fe80::1%eth0',
    ],
  ],
  [
    'SERVICE_DNS_SERVERS',
    (config) => config.dnsServers?.join(' '),
    [
      ['192.0.2.53', '192.0.2.53'],
      ['127.0.0.1:5353, ::1', '127.0.0.1:5353 ::1'],
      ['[2001:db8::53]:53,[::1]', '[2001:db8::53]:53 [::1]'],
    ],
    [
      'ns.example.org',
      '192.0.2.53:0',
      '192.0.2.53:65536',
      '192.0.2.53,',
      '[192.0.2.53]',
      '[::1',
      'fe80::1%eth0',
      '1.2.3',
    ],
  ],
  [
    'SERVICE_TRUSTED_PROXIES',
    (config) => config.trustedProxies.has('10.1.2.3'),
    [
      ['10.0.0.0/8', true],
      ['::1', false],
    ],
    ['*', 'true', '1', '10.0.0.0/8;::1'],
  ],
  [
    'SERVICE_TRUST_FORWARDED_HOST',
    (config) => config.isForwardedHostTrusted,
    // 1 is taken with a warning, see config.test.ts, because it needs another setting.
    [['0', false]],
    ['true', 'yes', '127.0.0.1', '2'],
  ],
  [
    'SERVICE_PUBLIC_SCHEME',
    (config) => config.publicScheme,
    [
      ['http', 'http'],
      ['https', 'https'],
    ],
    ['HTTPS', 'ftp', 'https://'],
  ],
  ['SERVICE_PUBLIC_PORT', (config) => config.publicPort, [['443', 443]], ['0', 'x', '99999']],
  [
    'SERVICE_HOSTNAME',
    (config) => config.routing.hostname,
    [
      ['Example.COM.', 'example.com'],
      ['b\u00fccher.test', 'xn--bcher-kva.test'],
    ],
    ['a b', '127.0.0.1', '*.test', 'a.test:80', 'a`) || Host(`b', 'http://a.test'],
  ],
  [
    'SERVICE_NAME',
    (config) => config.routing.serviceName,
    [['media-1', 'media-1']],
    ['a b', '', '*', 'a@file', '-a', 'x'.repeat(65)].filter(Boolean),
  ],
  [
    'SERVICE_PROXY_UPSTREAMS',
    (config) => config.routing.upstreams,
    [
      ['http://a:1', ['http://a:1']],
      ['https://a/, http://[::1]:2', ['https://a', 'http://[::1]:2']],
    ],
    [
      'a:80',
      'ftp://a',
      'http://a/path',
      'http://a?x',
      'http://a#x',
      'http://u@a',
      'http://:canary@a',
      'http://u:canary@a',
      'http://a,',
      'http://',
    ],
  ],
  [
    'SERVICE_PROXY_ENTRYPOINTS',
    (config) => config.routing.entryPoints,
    [
      ['web', ['web']],
      ['web, websecure', ['web', 'websecure']],
    ],
    ['web,', 'a b', '"web"'],
  ],
  [
    'SERVICE_PROXY_IP_ALLOW_LIST',
    (config) => config.routing.allowedRanges,
    [['10.0.0.0/8, ::/0', ['10.0.0.0/8', '::/0']]],
    ['10.0.0.1', '10.0.0.0/8,', 'all', '::/200'],
  ],
  [
    'SERVICE_TENANT_ENFORCED',
    (config) => Object.fromEntries(config.enforcedValues),
    [
      ['{}', {}],
      ['{"A":"x","B":1,"C":true}', { A: 'x', B: '1', C: 'true' }],
      ['{"SERVICE_MAX_STORAGE":"5G"}', { SERVICE_MAX_STORAGE: '5G' }],
    ],
    [
      'x',
      '[]',
      'null',
      '"x"',
      '{',
      '{"A":null}',
      '{"A":{}}',
      '{"A":[1]}',
      '{"a":"1"}',
      '{"__proto__":"1"}',
      '{"SERVICE_MAX_FILES":"many"}',
      '{"SERVICE_MAX_FILES":"5K"}',
      '{"A":"1","A":"2"}',
    ],
  ],
  [
    'SERVICE_DEMO',
    (config) => config.hasDemo,
    [
      ['0', false],
      ['1', true],
    ],
    ['no', 'false'],
  ],
  [
    'SERVICE_LOG_LEVEL',
    (config) => config.logLevel,
    [
      ['silent', 'silent'],
      ['debug', 'debug'],
    ],
    ['loud', 'INFO', '30'],
  ],
]

describe.for(settings)('%s', ([name, pick, good, bad]) => {
  test.for(good)('%j is taken', ([value, taken]) => {
    const config = read({ [name]: value })
    assert.deepEqual(pick(config), taken)
    assert.deepEqual(config.warnings, [])
  })

  test.for(bad)('%j is refused', (value) => {
    const faults = faultsOf({ [name]: value })
    assert.equal(faults.length, 1)
    assert.ok(String(faults[0]).startsWith(`${name}: `), String(faults[0]))
    assert.ok(!String(faults[0]).includes('canary'))
  })
})

test('every faulty setting is reported at once', () => {
  const faulty = Object.fromEntries(
    settings.flatMap(([name, , , [bad]]) => (bad === undefined ? [] : [[name, bad]])),
  )
  const more = {
    SERVICE_MAX_USERS: 'many',
    SERVICE_ENABLE_SIGNUP: 'maybe',
    SERVICE_TENANTS_API_REQUEST_SECRET: '',
  }
  const faults = faultsOf({ ...faulty, ...more })
  assert.deepEqual(
    faults.map((fault) => fault.split(': ')[0]).sort(),
    [...Object.keys(faulty), ...Object.keys(more)].sort(),
  )
  assert.equal(new ConfigFaults(faults).message, faults.join('\n'))
  const [fault] = faultsOf({ SERVICE_TENANT_ENFORCED: '{"a":1,"SERVICE_MAX_USERS":"x","B":null}' })
  assert.match(fault ?? '', /a: .*; SERVICE_MAX_USERS: .*; B: /)
})
