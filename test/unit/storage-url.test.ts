import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import { parseStorageUrl } from '../../src/storage/index.ts'

test('a storage URL says where the bucket is and how to get in', () => {
  assert.deepEqual(parseStorageUrl('s3://KEY:SECRET@10.0.0.5:9000/media?region=eu-central-1&scheme=http'), {
    endpoint: 'http://10.0.0.5:9000',
    bucket: 'media',
    region: 'eu-central-1',
    accessKey: 'KEY',
    secretKey: 'SECRET',
    folder: '',
    isPathStyle: true,
  })
  assert.deepEqual(
    parseStorageUrl('s3://K:a%2Fb+c%3D@s3.example.com/my.media-1/?path=terrace/live&style=virtual'),
    {
      endpoint: 'https://s3.example.com',
      bucket: 'my.media-1',
      region: 'us-east-1',
      accessKey: 'K',
      secretKey: 'a/b+c=',
      folder: 'terrace/live',
      isPathStyle: false,
    },
  )
  assert.equal(parseStorageUrl('s3://K:S@[::1]:9000/media').endpoint, 'https://[::1]:9000')
})

const wrong: [string, RegExp][] = [
  ['', /s3:\/\/KEY:SECRET@host/],
  ['https://K:hunter2@h/media', /s3:\/\/KEY:SECRET@host/],
  ['s3://h/media', /KEY:SECRET@/],
  ['s3://K@h/media', /KEY:SECRET@/],
  ['s3://:hunter2@h/media', /KEY:SECRET@/],
  ['s3://K:hun/ter2@h/media', /KEY:SECRET@|host|bucket/],
  ['s3://K:hun#ter2@h/media', /KEY:SECRET@|#/],
  ['s3://K:hunter2@h/media#x', /#/],
  ['s3://K:hunter2@/media', /host|s3:/],
  ['s3://K:hunter2@h:99999/media', /host|s3:/],
  ['s3://K:hunter2@h:0/media', /host/],
  ['s3://K:hunter2@a%20b/media', /host|s3:/],
  ['s3://K:hunter2@h', /bucket/],
  ['s3://K:hunter2@h/', /bucket/],
  ['s3://K:hunter2@h/ab', /bucket/],
  ['s3://K:hunter2@h/Media', /bucket/],
  ['s3://K:hunter2@h/media/more', /bucket/],
  ['s3://K:hunter2@h/me..dia', /bucket/],
  ['s3://K:hunter2@h/media?scheme=ftp', /scheme=/],
  ['s3://K:hunter2@h/media?region=', /region=/],
  ['s3://K:hunter2@h/media?region=a&region=b', /region= once/],
  ['s3://K:hunter2@h/media?path=../other', /path=/],
  ['s3://K:hunter2@h/media?path=/other', /path=/],
  ['s3://K:hunter2@h/media?style=dns', /style=/],
  ['s3://K:hunter2@h/media?acl=public-read', /no other options/],
  ['s3://K:hunter2%@h/media', /percent/],
  ['s3://K:hunter2%0a@h/media', /plain characters/],
]

test.each(wrong)('%s is refused by what is wrong with it, without the secret', (value, words) => {
  assert.throws(
    () => parseStorageUrl(value),
    (error: Error) => words.test(error.message) && !/hun|ter2/.test(error.message),
  )
})

test('every key and secret comes through as it is, and none is ever shown', () => {
  const secret = fc.string({
    unit: fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code)),
    minLength: 8,
  })
  const property = fc.property(
    secret,
    secret,
    fc.constantFrom('', '/UPPER', '?nothing=1', '/media?scheme=x'),
    (key, text, rest) => {
      const user = `${encodeURIComponent(key)}:${encodeURIComponent(text)}`
      const place = parseStorageUrl(`s3://${user}@h/media`)
      assert.deepEqual([place.accessKey, place.secretKey], [key, text])
      assert.throws(
        () => parseStorageUrl(`s3://${user}@h${rest}`),
        (error: Error) => !error.message.includes(text) && !error.message.includes(encodeURIComponent(text)),
      )
    },
  )
  fc.assert(property, { numRuns: 300 })
})
