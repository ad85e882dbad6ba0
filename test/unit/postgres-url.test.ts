import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import { describePostgresUrl, isSamePostgres, parsePostgresUrl } from '../../src/db/index.ts'

describe('a postgres:// URL', () => {
  test('has one host or several, each with its port', () => {
    const namesOf = (url: string) => parsePostgresUrl(url).hosts.map(({ name }) => name)
    assert.deepEqual(namesOf('postgres://db/x'), ['db:5432'])
    assert.deepEqual(namesOf('postgresql://u:p@db:1,10.0.0.2,[::1]:3/x'), [
      'db:1',
      '10.0.0.2:5432',
      '[::1]:3',
    ])
    assert.deepEqual(namesOf('postgres://u@%2Frun%2Fpostgresql/x'), ['/run/postgresql:5432'])
  })

  test('gives the driver one host, with the other parameters', () => {
    const { hosts } = parsePostgresUrl(
      'postgres://u:p%40@a:1,b:2/x?target_session_attrs=primary&sslmode=require&options=-c%20a%3Db',
    )
    assert.deepEqual(
      hosts.map(({ url }) => url),
      ['postgres://u:p%40@a:1/x?options=-c+a%3Db', 'postgres://u:p%40@b:2/x?options=-c+a%3Db'],
    )
  })

  test('says which host will do and how it is encrypted', () => {
    const plain = parsePostgresUrl('postgres://db/x')
    assert.deepEqual([plain.target, plain.tls.mode], ['any', 'prefer'])
    const full = parsePostgresUrl(
      'postgres://db/x?target_session_attrs=read-write&sslmode=verify-full&sslrootcert=/ca&sslcert=/c&sslkey=/k',
    )
    assert.equal(full.target, 'read-write')
    assert.deepEqual(full.tls, { mode: 'verify-full', sslrootcert: '/ca', sslcert: '/c', sslkey: '/k' })
    assert.equal(parsePostgresUrl('postgres://db/x?ssl=true').tls.mode, 'require')
  })

  test.each([
    ['mysql://db/x', /must be a postgres:\/\/ URL/],
    ['postgres://secret:secret@a:1,b:x/y', /host:port/],
    ['postgres://secret@a/x?host=a,b', /several hosts before the database/],
    [
      'postgres://secret@a/x?target_session_attrs=standby',
      /target_session_attrs as one of any, read-write, primary/,
    ],
    ['postgres://secret@a/x?sslmode=no-verify', /sslmode as one of disable, /],
    ['postgres://secret@a/x?sslcrl=/f', /sslcrl, which is not supported/],
    ['postgres://secret@a/x?sslcert=/f', /sslcert and sslkey together/],
    ['postgres://secret@a/x?sslmode=verify-ca', /needs sslrootcert/],
    ['postgres://secret@a/x?sslrootcert=system', /needs sslmode=verify-full/],
    ['postgres://secret@a/x?ssl=maybe', /ssl=true or ssl=false/],
  ])('%s is refused without repeating it', (url, message) => {
    assert.throws(
      () => parsePostgresUrl(url),
      (error: Error) => message.test(error.message) && !error.message.includes('secret'),
    )
  })

  test('is shown without its credentials, and compared by a host that both name', () => {
    assert.equal(describePostgresUrl('postgres://u:p@a:1,b/x?sslmode=require'), 'a:1,b:5432/x')
    assert.ok(isSamePostgres('postgres://u@a:1,b/x', 'postgres://v@b:5432/x'))
    assert.ok(!isSamePostgres('postgres://u@a:1,b/x', 'postgres://u@a:1,b/y'))
    assert.ok(!isSamePostgres('postgres://u@a/x', 'postgres://u@b/x'))
  })
})
