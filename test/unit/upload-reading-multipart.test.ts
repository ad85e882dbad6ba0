import assert from 'node:assert/strict'
import { test } from 'vitest'
import { multipartParser } from '../../src/http/uploads/reading/multipart.ts'
import { BOUNDARY, MULTIPART, multipart, startReader } from '../support/clients/upload-reading.ts'

test('a form may have 128 parts, and a part short headers', async () => {
  await using reader = await startReader()
  const parts = (count: number) =>
    multipart(...Array.from({ length: count }, (): [string, string] => ['name="x"; filename="x"', '']))
  assert.deepEqual((await reader.send({ type: MULTIPART, body: parts(128) })).parameters, {})
  assert.equal(
    (await reader.send({ type: MULTIPART, body: parts(129) })).refused,
    'bad-form: The form has more than 128 parts.',
  )
  const withHead = (length: number) => {
    const head = 'Content-Disposition: form-data; name="key"'
    // The line break behind the delimiter counts too.
    const filler = 'x'.repeat(length - `\r\n${head}\r\nx: `.length)
    return { type: MULTIPART, body: multipart([`name="key"\r\nx: ${filler}`, 'k']) }
  }
  assert.deepEqual((await reader.send(withHead(8192))).parameters, { key: 'k' })
  for (const length of [8193, 900_000])
    assert.equal(
      (await reader.send(withHead(length))).refused,
      'bad-form: The headers of a part are longer than 8192 bytes.',
    )
})

test('what is no multipart is refused', async () => {
  await using reader = await startReader()
  const whole = multipart(['name="key"', 'k'])
  const refused = 'bad-form: The form is not valid multipart/form-data.'
  for (const body of [
    'x',
    '\r\n',
    `--${BOUNDARY}`,
    `--${BOUNDARY}\r\n`,
    `--${BOUNDARY}x--`,
    `--${BOUNDARY}-`,
    whole.toString().replaceAll('\r\n', '\n'),
    `--${BOUNDARY}\r\n\r\n--${BOUNDARY}--`,
    `--${BOUNDARY}\r\nx\r\n--${BOUNDARY}--`,
    whole.subarray(0, -6),
  ])
    assert.equal((await reader.send({ type: MULTIPART, body })).refused, refused, String(body))
  for (const type of [
    '',
    '; boundary',
    '; boundary=',
    '; boundary=""',
    `; boundary=${'x'.repeat(71)}`,
    '; boundary="a\\b"',
    '; xboundary=a',
  ])
    assert.equal(
      (await reader.send({ type: `multipart/form-data${type}`, body: whole })).refused,
      'bad-form: The content type must name a boundary of 1 to 70 characters.',
    )
})

test('the headers of a part are read as mail has them', async () => {
  await using reader = await startReader()
  const send = (head: string) =>
    reader.send({ type: MULTIPART, body: `--${BOUNDARY}${head}\r\n\r\nk\r\n--${BOUNDARY}--` })
  for (const head of [
    '\r\nContent-Disposition: form-data; name=key',
    ' \t\r\ncontent-disposition:form-data;name="key"',
    '\r\nX-Other: 1\r\nCONTENT-DISPOSITION:  Form-Data ; NAME = "key" \r\nContent-Length: 1',
    '\r\nContent-Disposition: form-data;\r\n\tname="key"',
  ])
    assert.deepEqual((await send(head)).parameters, { key: 'k' }, head)
  for (const head of [
    '\r\nContent-Disposition: attachment; name="key"',
    '\r\nContent-Disposition: form-datax; name="key"',
    '\r\nContent-Type: text/plain',
    '\r\nContent-Disposition: form-data; xname="key"',
  ])
    assert.deepEqual((await send(head)).parameters, {}, head)
  for (const head of [
    'x\r\nContent-Disposition: form-data; name="key"',
    '-\r\nContent-Disposition: form-data; name="key"',
    '\r\nContent-Disposition form-data; name="key"',
    '\r\nContent Disposition: form-data; name="key"',
    '\r\nContent-Disposition: form-data; name="k\ney"',
    '\r\nContent-Disposition: form-data; name="k\rey"',
  ])
    assert.equal(
      (await send(head)).refused,
      'bad-form: The form is not valid multipart/form-data.',
      JSON.stringify(head),
    )
})

test('headers of a part that are hard to read are read no slower', async () => {
  await using reader = await startReader()
  for (const text of [
    '\\\\'.repeat(3900),
    '"\\'.repeat(3900),
    ';x'.repeat(3900),
    '; '.repeat(3900),
    ';x='.repeat(2600),
  ]) {
    const { parameters } = await reader.send({
      type: MULTIPART,
      body: multipart([`name="${text}`, 'k'], ['name="title"', 't']),
    })
    assert.equal(parameters?.title, 't')
  }
})

test('a boundary may be written in many ways', async () => {
  await using reader = await startReader()
  const whole = multipart(['name="key"', 'k'])
  for (const type of [
    `multipart/form-data;boundary=${BOUNDARY}`,
    `Multipart/Form-Data; Boundary="${BOUNDARY}"`,
    `multipart/form-data; charset=utf-8; boundary=${BOUNDARY}`,
    `multipart/form-data; boundary=${BOUNDARY}; charset=utf-8`,
  ])
    assert.deepEqual((await reader.send({ type, body: whole })).parameters, { key: 'k' })
  const preamble = Buffer.concat([Buffer.from('preamble\r\n'), whole, Buffer.from('epilogue')])
  assert.deepEqual((await reader.send({ type: MULTIPART, body: preamble })).parameters, { key: 'k' })
  assert.deepEqual((await reader.send({ type: MULTIPART, body: `--${BOUNDARY}--` })).parameters, {})
  for (const boundary of ["a'()+_,-./:=? b", 'x'.repeat(70), '-', '----------------'])
    assert.deepEqual(
      (
        await reader.send({
          type: `multipart/form-data; boundary="${boundary}"`,
          body: whole.toString().replaceAll(BOUNDARY, boundary),
        })
      ).parameters,
      { key: 'k' },
    )
})

test('no two pieces of a part share memory, so a piece that is kept does not change', async () => {
  const almost = Buffer.from(`\r\n--${BOUNDARY.slice(0, -1)}!`.repeat(4))
  const pieces: Buffer[] = []
  const openField = () => ({ push: (bytes: Buffer) => void pieces.push(bytes), end: () => undefined })
  const parser = multipartParser(openField, MULTIPART)
  const body = multipart(['name="source"; filename="a"', almost])
  // Each chunk has memory of its own, as those of a connection do.
  for (let at = 0; at < body.length; at += 5)
    parser.push(Buffer.from(new Uint8Array(body.subarray(at, at + 5)).buffer))
  parser.end()
  assert.deepEqual(Buffer.concat(pieces), almost)
  const places = pieces.map((piece) => piece.buffer)
  const shared = places.filter((place, at) => {
    const first = places.indexOf(place)
    return first !== at && pieces[first]?.byteOffset === pieces[at]?.byteOffset
  })
  assert.equal(shared.length, 0)
})
