import assert from 'node:assert/strict'
import { describe, test } from 'vitest'
import {
  JSON_TYPE,
  MULTIPART,
  multipart,
  type Outcome,
  type Part,
  startReader,
  URLENCODED,
} from '../support/clients/upload-reading.ts'

const form = (fields: Record<string, string>) => new URLSearchParams(fields).toString()
const jsonOf = (fields: Record<string, unknown>) => ({ type: JSON_TYPE, body: JSON.stringify(fields) })
const formOf = (fields: Record<string, string>) => ({ type: URLENCODED, body: form(fields) })
const partsOf = (...parts: Part[]) => ({ type: MULTIPART, body: multipart(...parts) })
const queryOf = (fields: Record<string, string>) => ({ method: 'GET', path: `/?${form(fields)}` })

/** What was taken, shortly. */
const taken = ({ sourceField, bytes, url, refused }: Outcome) => refused ?? `${sourceField} ${url ?? bytes}`

test('a URL is a URL wherever it stands', async () => {
  await using reader = await startReader()
  for (const text of [
    'http://x.test/a b+c.jpg',
    'https://x.test/?q=%20#f',
    'HTTPS://X.test/ä',
    'http://',
    ' \r\n\thttp://x.test/\n ',
  ]) {
    for (const name of ['source', 'image']) {
      const expected = { url: text.trim(), sourceField: name }
      for (const request of [
        queryOf({ [name]: text }),
        formOf({ [name]: text }),
        jsonOf({ [name]: text }),
        partsOf([`name="${name}"`, text]),
      ]) {
        const { url, sourceField } = await reader.send(request)
        assert.deepEqual({ url, sourceField }, expected)
      }
    }
  }
})

test('a URL has at most 2,048 characters', async () => {
  await using reader = await startReader()
  const url = (length: number) => 'http://x.test/'.padEnd(length, 'ä')
  for (const length of [2047, 2048])
    assert.equal((await reader.send(jsonOf({ source: url(length) }))).url, url(length))
  const refused = 'bad-parameter: image: a URL must be at most 2048 characters long'
  for (const length of [2049, 9000, 500_000]) {
    assert.equal((await reader.send(jsonOf({ image: url(length) }))).refused, refused)
    assert.equal((await reader.send(formOf({ image: url(length) }))).refused, refused)
  }
})

test('base64 is taken in all its spellings', async () => {
  await using reader = await startReader()
  const bytes = Buffer.from('fbefbefffffffefd', 'hex')
  for (const text of [
    '++++/////v0=',
    '----_____v0',
    '++++_____v0=',
    '\t++++/////v0=\r\n',
    '++++\n////\n/v0=',
    '+\t+\r+\n+\f/////v0=\n',
    'data:;base64,++++/////v0=',
    'DATA:image/png;charset=x;BASE64,++++/////v0',
    ' data:a+b; base64,++++/////v0= ',
    'data:x;base64,%2B%2b%2B%2B%2F/%2f//v0%3D',
    'data:x;base64,++++/////v0%3d%0A',
  ])
    for (const request of [
      jsonOf({ source: text }),
      formOf({ source: text }),
      queryOf({ source: text }),
      partsOf(['name="source"', text]),
    ])
      assert.deepEqual((await reader.send(request)).bytes, bytes, text)
})

test('a plus that a form has turned to a space is a plus again', async () => {
  await using reader = await startReader()
  const text = '+++++Q==',
    turned = '     Q== '
  for (const request of [
    { type: URLENCODED, body: `source=${text}` },
    { method: 'GET', path: `/?source=${text}` },
    formOf({ source: turned }),
    partsOf(['name="source"', turned]),
  ])
    assert.equal((await reader.send(request)).bytes?.toString('hex'), 'fbefbef9')
  assert.equal((await reader.send(jsonOf({ source: ' Q U\tJ  D ' }))).bytes?.toString(), 'ABC')
})

test('what is no base64 is refused', async () => {
  await using reader = await startReader()
  const texts = [
    'hello world',
    'not-base64',
    'invalid',
    '!',
    '%',
    'QUJ%44',
    'ä',
    'QUJD\u0000',
    'Q',
    'QUJDR',
    'QR==',
    'QUK=',
    '=',
    '==',
    '====',
    'QUJD=',
    'QQ=',
    'QQ===',
    'QQ==QUJD',
    'QQ=Q',
    'Q=Q=',
    'ftp://x.test/a',
    'http:/x',
    'file:///etc/passwd',
    '/etc/passwd',
    'C:\\cat.jpg',
    'data:',
    'data:image/png',
    'data:image/png,QUJD',
    'data:base64,QUJD',
    'data:;base64,Q',
    'data:;base64,QUJD%',
    'data:;base64,QUJD%4',
    'data:;base64,%ZZ',
    `data:${'x'.repeat(1100)};base64,QUJD`,
    `data:${'x'.repeat(70_000)}`,
    `${'QUJD'.repeat(50_000)}*`,
    `*${'QUJD'.repeat(50_000)}`,
  ]
  for (const text of texts)
    for (const request of [
      formOf({ source: text }),
      jsonOf({ source: text }),
      partsOf(['name="image"', text]),
    ])
      assert.equal(
        (await reader.send(request)).refused,
        'bad-base64: Invalid base64 string',
        text.slice(0, 80),
      )
  assert.deepEqual(await reader.left(), [])
})

test('an empty file is refused, and an empty value counts as absent', async () => {
  await using reader = await startReader()
  const empty = 'empty-source: Empty upload source'
  assert.equal(
    (await reader.send(partsOf(['name="source"; filename="a.jpg"', '', 'image/jpeg']))).refused,
    empty,
  )
  for (const text of ['\n', '\t\r\n', 'data:image/png;base64,'])
    assert.equal((await reader.send(formOf({ source: text }))).refused, empty)
  for (const request of [
    formOf({ source: '' }),
    jsonOf({ source: '' }),
    jsonOf({ source: null }),
    queryOf({ source: '', image: '' }),
    partsOf(['name="source"', '']),
    partsOf(['name="source"; filename=""', '', 'application/octet-stream']),
    partsOf(['name="source"; filename=""', '']),
  ])
    assert.equal(taken(await reader.send(request)), 'undefined undefined')
})

describe('of several sources one counts:', () => {
  const cases: [string, object, string][] = [
    ['source before image', formOf({ source: 'QUJD', image: 'REVG' }), 'source ABC'],
    ['image before source', formOf({ image: 'REVG', source: 'QUJD' }), 'source ABC'],
    ['image alone', formOf({ source: '', image: 'REVG' }), 'image DEF'],
    [
      'source by URL, image by file',
      partsOf(['name="image"; filename="a"', 'DEF'], ['name="source"', 'http://x.test']),
      'source http://x.test',
    ],
    [
      'image by URL, source by file',
      partsOf(['name="image"', 'http://x.test'], ['name="source"; filename="a"', 'ABC']),
      'source ABC',
    ],
    [
      'a file before a text',
      partsOf(['name="source"; filename="a"', 'ABC'], ['name="source"', 'REVG']),
      'source ABC',
    ],
    [
      'a text before a file',
      partsOf(['name="source"', 'REVG'], ['name="source"; filename="a"', 'ABC']),
      'source ABC',
    ],
    [
      'a file field without a file',
      partsOf(['name="source"', 'REVG'], ['name="source"; filename=""', '', 'application/octet-stream']),
      'source DEF',
    ],
    [
      'an image file and text',
      partsOf(['name="image"', 'REVG'], ['name="image"; filename="a"', 'ABC']),
      'image ABC',
    ],
    ['the body before the query', { ...formOf({ source: 'QUJD' }), path: '/?source=REVG' }, 'source ABC'],
    ['the body before a bad query', { ...formOf({ source: 'QUJD' }), path: '/?source=*' }, 'source ABC'],
    [
      'an image in the body before one in the query',
      { ...formOf({ image: 'QUJD' }), path: '/?image=REVG' },
      'image ABC',
    ],
    [
      'source in the query before image in the body',
      { ...formOf({ image: '*' }), path: '/?source=REVG' },
      'source DEF',
    ],
    [
      'source in the body before image in the query',
      { ...formOf({ source: 'QUJD' }), path: '/?image=*' },
      'source ABC',
    ],
    [
      'the query where the body is empty',
      { ...formOf({ source: '', image: '' }), path: '/?source=REVG' },
      'source DEF',
    ],
    ['both in the query', queryOf({ image: 'QUJD', source: 'REVG' }), 'source DEF'],
    ['both in JSON', jsonOf({ image: 'QUJD', source: 'REVG' }), 'source DEF'],
    ['null is nothing', jsonOf({ image: 'QUJD', source: null }), 'image ABC'],
    ['a bad image behind the source', formOf({ source: 'QUJD', image: '*' }), 'source ABC'],
    [
      'two of a kind',
      partsOf(['name="source"; filename="a"', 'A'], ['name="source"; filename="b"', 'B']),
      'bad-parameter: source: is given twice',
    ],
    [
      'two texts',
      { type: URLENCODED, body: 'image=QUJD&image=QUJD' },
      'bad-parameter: image: is given twice',
    ],
    [
      'two in JSON',
      { type: JSON_TYPE, body: '{"source":"QUJD","sourc\\u0065":"QUJD"}' },
      'bad-parameter: source: is given twice',
    ],
    ['two in the query', { path: '/?source=QUJD&source=QUJD' }, 'bad-parameter: source: is given twice'],
  ]
  for (const [title, request, expected] of cases) {
    test(title, async () => {
      await using reader = await startReader()
      assert.equal(taken(await reader.send(request)), expected)
      assert.deepEqual(await reader.left(), [])
    })
  }
})

test('a file is called as its sender called it, without folders', async () => {
  await using reader = await startReader()
  const names: [string, string | undefined][] = [
    ['filename="cat.jpg"', 'cat.jpg'],
    ['filename=cat.jpg', 'cat.jpg'],
    ['filename="C:\\Users\\me\\cat.jpg"', 'cat.jpg'],
    ['filename="/home/me/cat.jpg"', 'cat.jpg'],
    ['filename="../../etc/passwd"', 'passwd'],
    ['filename="kätzchen 猫 🐈.jpg"', 'kätzchen 猫 🐈.jpg'],
    ['filename="a;b=c.jpg"', 'a;b=c.jpg'],
    ['filename="a \\"b\\".jpg"', 'a "b".jpg'],
    ['filename="a %22b%22.jpg"', 'a "b".jpg'],
    ["filename*=UTF-8''k%C3%A4tzchen.jpg", 'kätzchen.jpg'],
    ['filename="=?utf-8?B?54yr?="; filename*=utf-8\'\'%E7%8C%AB.jpg', '猫.jpg'],
    ['filename*=utf-8\'\'%E7%8C%AB.jpg; filename="cat.jpg"', '猫.jpg'],
    ["filename*=iso-8859-1'de'k%E4tzchen.jpg", 'kätzchen.jpg'],
    ["filename*=utf-8''it's%20%2e%2e%2fa%zz.jpg", 'a%zz.jpg'],
    ['FileName = "cat.jpg" ; x', 'cat.jpg'],
    ['filename="a\\\\b.jpg"', 'b.jpg'],
    ['filename=".."', undefined],
    [`filename="/${'x/'.repeat(2000)}cat.jpg"`, 'cat.jpg'],
  ]
  for (const [disposition, expected] of names) {
    for (const field of ['source', '"source"']) {
      const part: Part = [`name=${field}; ${disposition}`, 'ABC', 'image/jpeg']
      const { name, bytes } = await reader.send(partsOf(part))
      assert.deepEqual([name, bytes?.toString()], [expected, 'ABC'], disposition)
    }
  }
})

test('files in unknown fields are read and dropped', async () => {
  await using reader = await startReader()
  const outcome = await reader.send(
    partsOf(
      ['name="avatar"; filename="a"', Buffer.alloc(300_000)],
      ['name="key"; filename="k"', 'k'],
      ['name="source"; filename="cat"', 'ABC'],
      ['name="avatar"; filename="b"', 'x'],
      ['name=""', 'y'],
      ['name="title"', 'Cat', 'application/octet-stream'],
      ['filename="c"', 'z'],
    ),
  )
  assert.equal(taken(outcome), 'source ABC')
  assert.deepEqual(outcome.parameters, { title: 'Cat' })
})
