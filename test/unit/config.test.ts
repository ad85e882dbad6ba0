import assert from 'node:assert/strict'
import { test } from 'vitest'
import { type Config, ConfigFaults, type Environment, readConfig } from '../../src/config.ts'
import { countLimits, sizeLimits, switchNames } from '../../src/site/values.ts'
import { faultyQuotaValues } from '../support/fixtures/quota-values.ts'

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

test('nothing has to be set', () => {
  const { apiAllowList, trustedProxies, ...config } = read({})
  assert.ok(apiAllowList.isEmpty && trustedProxies.isEmpty)
  assert.partialDeepStrictEqual(config, {
    listen: { host: '127.0.0.1', port: 8080 },
    dataDir: '/home/terrace/data',
    isV2Required: false,
    routing: {
      hostname: 'localhost',
      serviceName: 'service',
      entryPoints: ['websecure'],
      allowedRanges: ['0.0.0.0/0', '::/0'],
    },
    hasDemo: true,
    logLevel: 'info',
    warnings: [],
  })
  for (const name of [
    'internalPort',
    'databaseUrl',
    'encryptionKeys',
    'requestSecret',
    'publicScheme',
    'publicPort',
  ] as const)
    assert.equal(config[name], undefined, name)
  assert.equal(config.routing.upstreams, undefined)
  assert.deepEqual([config.processValues.size, config.enforcedValues.size], [0, 0])
})

test('what is set to nothing, or to spaces, is not set', () => {
  const names = [
    'LISTEN',
    'INTERNAL_PORT',
    'DATA_DIR',
    'DATABASE_URL',
    'ENCRYPTION_KEY',
    'TENANTS_API_REQUIRE_V2',
    'TRUSTED_PROXIES',
    'TENANTS_API_IP_ALLOW_LIST',
    'PUBLIC_SCHEME',
    'PUBLIC_PORT',
    'HOSTNAME',
    'NAME',
    'PROXY_UPSTREAMS',
    'PROXY_ENTRYPOINTS',
    'PROXY_IP_ALLOW_LIST',
    'TENANT_ENFORCED',
    'DEMO',
    'LOG_LEVEL',
    'MAX_FILES',
    'MAX_STORAGE',
    'ENABLE_SIGNUP',
  ].map((name) => `SERVICE_${name}`)
  const shown = (config: Config) =>
    JSON.stringify(config, (_name, value) => (value instanceof Map ? [...value] : value))
  for (const value of ['', '   ', '\n'])
    assert.equal(
      shown(read(Object.fromEntries([...names, 'PORT'].map((name) => [name, value])))),
      shown(read({})),
    )
})

test('limits and toggles of the process are held to the same rules as a tenant’s', () => {
  for (const name of countLimits) {
    assert.equal(read({ [name]: '5' }).processValues.get(name), '5')
    for (const value of ['many', '5K', '-1', '1e9', '0x10', '1.0'])
      assert.deepEqual(faultsOf({ [name]: value }), [`${name}: must be a whole number`], value)
  }
  for (const name of sizeLimits) {
    assert.equal(read({ [name]: '5G' }).processValues.get(name), '5G')
    for (const value of ['many', '5T', '5k', '-1', '1e9'])
      assert.equal(faultsOf({ [name]: value }).length, 1, value)
  }
  for (const name of switchNames) {
    for (const value of ['0', '1', 'true', 'off'])
      assert.equal(read({ [name]: value }).processValues.get(name), value)
    for (const value of ['maybe', '2', 'enabled']) assert.equal(faultsOf({ [name]: value }).length, 1, value)
  }
  assert.equal(
    read({ SERVICE_UPLOAD_URL_ALLOW: 'a.test' }).processValues.get('SERVICE_UPLOAD_URL_ALLOW'),
    'a.test',
  )
})

test('how quotas act is checked in the environment of the process', () => {
  for (const [name, values] of Object.entries(faultyQuotaValues))
    for (const value of values) {
      const faults = faultsOf({ [name]: value })
      assert.equal(faults.length, 1, `${name}=${value}`)
      assert.match(faults[0] ?? '', new RegExp(`^${name}: must be `))
    }
})

test('a site value under its old name is taken, and the warning names the new one', () => {
  const { processValues, warnings } = read({ SERVICE_UPLOAD_EARLIEST_FIELDS: '1' })
  assert.deepEqual([...processValues], [['SERVICE_UPLOAD_LEGACY_FIELDS', '1']])
  assert.deepEqual(warnings, [
    'SERVICE_UPLOAD_EARLIEST_FIELDS is now SERVICE_UPLOAD_LEGACY_FIELDS; the old name still works.',
  ])
  const both = { SERVICE_UPLOAD_EARLIEST_FIELDS: '1', SERVICE_UPLOAD_LEGACY_FIELDS: '0' }
  assert.deepEqual([...read(both).processValues], [['SERVICE_UPLOAD_LEGACY_FIELDS', '0']])
  assert.equal(faultsOf({ SERVICE_UPLOAD_EARLIEST_FIELDS: 'maybe' }).length, 1)
})

test('the port of the platform goes with the host that was set', () => {
  assert.deepEqual(read({ SERVICE_LISTEN: '0.0.0.0:8080', PORT: '3000' }).listen, {
    host: '0.0.0.0',
    port: 3000,
  })
})

test('the internal port is another one', () => {
  const expected = 'SERVICE_INTERNAL_PORT: must differ from the port that the server listens on'
  assert.deepEqual(faultsOf({ SERVICE_LISTEN: '0.0.0.0:9000', SERVICE_INTERNAL_PORT: '9000' }), [expected])
  assert.deepEqual(faultsOf({ PORT: '9000', SERVICE_INTERNAL_PORT: '9000' }), [expected])
  assert.deepEqual(faultsOf({ PORT: '9000', SERVICE_INTERNAL_PORT: '8080' }), [])
})

test('a trusted host without a trusted proxy gives a warning', () => {
  const trust = { SERVICE_TRUST_FORWARDED_HOST: '1' }
  assert.deepEqual(read(trust).warnings, [
    'SERVICE_TRUST_FORWARDED_HOST has no effect without SERVICE_TRUSTED_PROXIES.',
  ])
  const { isForwardedHostTrusted, warnings } = read({ ...trust, SERVICE_TRUSTED_PROXIES: '127.0.0.1' })
  assert.deepEqual([isForwardedHostTrusted, warnings], [true, []])
})

test('a secret may not be empty, is taken as it is, and is warned of when it is short', () => {
  const name = 'SERVICE_TENANTS_API_REQUEST_SECRET'
  assert.deepEqual(faultsOf({ [name]: '' }), [`${name}: must not be empty; unset it to have one generated`])
  for (const [secret, isShort] of [
    ['x', true],
    ['123456789012345', true],
    ['1234567890123456', false],
    ['\u00fc'.repeat(8), false],
    [' '.repeat(20), false],
    [' padded secret of ours ', false],
  ] as const) {
    const { requestSecret, warnings } = read({ [name]: secret })
    assert.equal(requestSecret, secret)
    assert.equal(warnings.length, isShort ? 1 : 0, secret)
    if (isShort) assert.match(warnings[0] ?? '', /SHORTER THAN 16 BYTES/)
  }
})

test('an unknown setting gives a warning, and other variables are ignored', () => {
  const { warnings } = read({
    SERVICE_LISTN: ':80',
    SERVICE_: '',
    service_listen: 'x',
    PATH: '/bin',
    MAX: '1',
  })
  assert.deepEqual(warnings, [
    'SERVICE_LISTN is not a setting and has no effect. Did you mean "SERVICE_LISTEN"?',
    'SERVICE_ is not a setting and has no effect.',
  ])
  for (const name of ['__proto__', 'constructor'])
    assert.deepEqual(read(JSON.parse(`{"${name}":"x"}`)).warnings, [])
})

test('reading settings changes and keeps nothing', () => {
  const environment = Object.freeze({ SERVICE_LISTEN: ':80', SERVICE_TENANT_ENFORCED: '{"A":1}' })
  assert.equal(JSON.stringify(read(environment)), JSON.stringify(read(environment)))
  assert.deepEqual(faultsOf({ SERVICE_DEMO: 'x' }), faultsOf({ SERVICE_DEMO: 'x' }))
  assert.deepEqual(faultsOf({}), [])
})
