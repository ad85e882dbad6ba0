import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, test } from 'vitest'
import { coordinatesIn } from '../../src/formats/metadata/location/coordinates.ts'
import { withoutCoordinates, withoutTextLocation } from '../../src/formats/metadata/location/texts.ts'
import { runsOf } from '../support/tiers.ts'

/** Each with the words that stay. */
const COORDINATES: readonly [text: string, left: string][] = [
  ['51.507412, -0.127856', ''],
  ['The pier at 51.507412 -0.127856', 'The pier at'],
  ['The pier (51.5074, -0.1278)', 'The pier'],
  ['Photo 12, 51.507412, -0.127856', 'Photo 12'],
  ['51.507, -0.127 by boat', 'by boat'],
  ['51,507412; -0,127856', ''],
  ['51.507412, \u22120.127856', ''],
  ['51°30\'26.6"N 0°7\'40"W', ''],
  ['51° 30′ 26.6″ N', ''],
  ['51 deg 30\' 26.64" N, 0 deg 7\' 40.08" W', ''],
  ['51 degrees 30 minutes north, a walk', ', a walk'],
  ['51&deg;30\'26"N', ''],
  ['N51 30.444 W000 07.667', ''],
  ['N51 30 26 W000 07 40', ''],
  ['51 30 26.5 N', ''],
  ['51.5 N, 0.12 W', ''],
  ['51.507412° N', ''],
  ['51.507412 North', ''],
  ['+51.507412-000.127856+035/', ''],
  ['geo:51.5,-0.12', ''],
  ['lat=51.5', ''],
  ['"latitude": 51.507412, "longitude": -0.127856', ''],
  ['Lat 51.507 Lon -0.127', ''],
  ['GPSLatitude: 51 30 26', ''],
  ['{"type":"Point","coordinates":[-0.127856,51.507412]}', '{"type":"Point","coordinates":}'],
  ['https://maps.example/?q=51.507412,-0.127856', 'https://maps.example/?q='],
  ['https://maps.example/?q=51.507412%2C-0.127856', 'https://maps.example/?q='],
  ['$GPGGA,123519,5130.444,N,00007.668,W', '$GPGGA'],
  ['30U 699375 5710154', ''],
  ['9C3XGV4C+XQ', ''],
  ['///filled.count.soap', ''],
  ['POINT(-0.127856 51.507412)', ''],
]

test('coordinates are recognised however people and programs write them, and the words beside them stay', () => {
  for (const [text, left] of COORDINATES) assert.equal(withoutCoordinates(text), left, text)
})

/** Each has numbers and tells no place on the earth. */
const ORDINARY = [
  '2024-05-06 07:08:09',
  '2024:05:06',
  '12/05/2024',
  '9:30-17:00',
  '07:08:09.1234+02:00',
  '20240506_070809.jpg',
  '4000x3000',
  '10 x 15 cm',
  'A4 210 x 297 mm',
  '24.0-70.0 mm f/2.8',
  'f/2.8, 1/250 s, ISO 100',
  '0.0125 s',
  'Version 12.1.4',
  'v1.2345',
  'sharp 0.34.2 libvips 8.17.1',
  'Adobe Photoshop 25.1.0 (Windows)',
  '192.168.1.1',
  '$12.50',
  '1.234, 5.678 Euro',
  'Nr. 1.234,56 €',
  '1,234,567.89',
  'Seite 12,50',
  'LED 7,5 W',
  '12,50 W',
  '35 °C',
  '-12.5°C',
  'a 180° view',
  '360° panorama',
  '3.1415926',
  '0.3127, 0.3290',
  '12.5%',
  '+49 30 1234567',
  '+1-800-1234567',
  'ISBN 978-3-16-148410-0',
  'Platform 9.75',
  'Route 66 W',
  'N 95 mask',
  'GPS on',
  'GPS: 12 satellites',
  'Roses, 12 of 30',
  'E10 5',
  '3 S 4',
  'long 12',
  'flat: 3 rooms',
  'W3C 1.0',
  'steps: 20, cfg 7.5, seed 1234567890, 512x512',
  'Model hash: 4c86efd062, Denoising strength: 0.4',
  '{"pos":[12.34567,45.67891],"size":[51.1234,20.5678]}',
  'https://example.com/a/1.2345/2',
  '/// a comment',
  'Canon EF 24-70mm f/2.8L II USM',
  '©2024 Ann, all rights reserved',
  'x'.repeat(3000),
  '',
] as const

test('dates, times, sizes, versions, prices, addresses and other numbers stay as they are', () => {
  for (const text of ORDINARY) {
    assert.deepEqual(coordinatesIn(text), [], text)
    assert.equal(withoutCoordinates(text), text)
    for (const { write } of Object.values(ENCODINGS))
      assert.equal(withoutTextLocation(write(text)), undefined, text)
  }
})

const ENCODINGS = {
  'UTF-8': { write: (text: string) => Buffer.from(text) },
  'UTF-16, little-endian': { write: (text: string) => Buffer.from(text, 'utf16le') },
  'UTF-16, big-endian': { write: (text: string) => Buffer.from(text, 'utf16le').swap16() },
  'UTF-32, big-endian': {
    write: (text: string) =>
      Buffer.concat([...text].map((character) => Buffer.from([0, 0, 0, character.charCodeAt(0) & 0xff]))),
  },
}

const number = (least: number, most: number) => fc.integer({ min: least, max: most })
const twoDigits = (value: number) => String(value).padStart(2, '0')
const date = fc.tuple(number(1990, 2040), number(1, 12), number(1, 28)).map(([year, ...rest]) => ({
  year,
  rest: rest.map(twoDigits),
}))
const ordinary = fc.oneof(
  date.map(({ year, rest }) => `${year}-${rest.join('-')}`),
  date.map(({ year, rest }) => `${year}:${rest.join(':')} 12:34:56`),
  fc.tuple(number(1, 20_000), number(1, 20_000)).map((sides) => sides.join('x')),
  fc.array(number(0, 99), { minLength: 3, maxLength: 4 }).map((parts) => `v${parts.join('.')}`),
  fc.tuple(number(0, 9999), number(0, 99)).map(([whole, cents]) => `$${whole}.${twoDigits(cents)}`),
  fc.tuple(number(1, 999), number(10, 99)).map(([thousands, cents]) => `${thousands}.000,${cents} Euro`),
  fc.tuple(number(8, 600), number(1, 9)).map(([length, part]) => `${length}.${part} mm`),
  fc.tuple(number(1, 22), number(0, 9)).map(([whole, part]) => `f/${whole}.${part}`),
  number(1, 8000).map((speed) => `1/${speed} s`),
  number(0, 2 ** 31).map((id) => `IMG_${id}.jpg`),
  fc.constantFrom('Roses', 'Anna & Ben', 'Straße', 'ISO 100', 'in the North', 'page 7', 'East Side'),
)
const ordinaryTexts = fc.array(ordinary, { minLength: 1, maxLength: 8 }).map((words) => words.join(', '))

test('any list of ordinary numbers and words stays as it is', () => {
  fc.assert(
    fc.property(ordinaryTexts, (text) => {
      assert.deepEqual(coordinatesIn(text), [], text)
    }),
    { numRuns: runsOf(5000) },
  )
})

const place = fc
  .tuple(number(2, 89), number(0, 179), number(100_001, 999_999), number(100_001, 999_999))
  .map(([north, east, one, other]) => ({
    latitude: `${north}.${one}`,
    longitude: `${east}.${other}`,
    digits: [String(one), String(other)],
  }))
const FORMS = [
  (latitude: string, longitude: string) => `${latitude}, -${longitude}`,
  (latitude: string, longitude: string) => `${latitude} ${longitude}`,
  (latitude: string, longitude: string) => `${latitude}N ${longitude}W`,
  (latitude: string, longitude: string) => `lat=${latitude}&lon=${longitude}`,
  (latitude: string, longitude: string) => `Latitude: ${latitude} Longitude: ${longitude}`,
  (latitude: string, longitude: string) => `${latitude}\xb0 ${longitude}\xb0`,
  (latitude: string, longitude: string) => `+${latitude.padStart(9, '0')}-${longitude.padStart(10, '0')}/`,
]
const words = fc.constantFrom('Sunset', 'at the pier', 'of 2024', 'with Anna', 'ISO 100', '(best)')

describe('no digit of a coordinate is left, and the words stay, in', () => {
  for (const [name, { write }] of Object.entries(ENCODINGS)) {
    test(name, () => {
      fc.assert(
        fc.property(words, place, fc.constantFrom(...FORMS), words, (before, spot, form, after) => {
          const bytes = write(`${before}: ${form(spot.latitude, spot.longitude)} ; ${after}`)
          const cleaned = withoutTextLocation(bytes)
          assert.ok(cleaned, 'something was found')
          assert.equal(cleaned.length, bytes.length)
          for (const digits of spot.digits) assert.ok(!cleaned.includes(write(digits)), digits)
          for (const word of [before, after]) assert.ok(cleaned.includes(write(word)), word)
          assert.equal(withoutTextLocation(cleaned), undefined, 'nothing is left to do')
        }),
        { numRuns: runsOf(1000) },
      )
    })
  }
})

test('a text of any length and any bytes is searched in bounded time', () => {
  const pieces = [
    '1.2345 ',
    '51 ',
    '51.',
    'N 5',
    "51°30'",
    'lat=',
    '+51',
    '"pos":[',
    'geo:',
    '\x001\0.',
    '0'.repeat(50),
  ]
  for (const piece of pieces) {
    const bytes = Buffer.from(piece.repeat(Math.ceil(200_000 / piece.length)), 'latin1')
    const cleaned = withoutTextLocation(bytes)
    assert.equal((cleaned ?? bytes).length, bytes.length)
  }
})
