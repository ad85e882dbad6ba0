import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import sharp from 'sharp'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { withoutSvgLocation, withoutXmpLocation } from '../../src/formats/metadata/xmp/strip-xmp.ts'
import { heicWith, xmpItem } from '../support/fixtures/imaging-heic.ts'
import {
  drawQuarters,
  gifWithXmp,
  jpegSegment,
  startTestImaging,
  type TestImaging,
  tiffWithLocation,
} from '../support/fixtures/imaging-pictures.ts'
import { HARMLESS, packetOf, packets } from '../support/fixtures/imaging-xmp.ts'

let it: TestImaging
beforeAll(() => {
  it = startTestImaging()
})
afterAll(() => it[Symbol.asyncDispose]())

/** Each character in as many bytes, as the encodings of XMP have them. */
const ENCODINGS: Record<string, { write: (text: string) => Buffer; read: (bytes: Buffer) => string }> = {
  'UTF-8': { write: (text) => Buffer.from(text), read: (bytes) => bytes.toString() },
  'UTF-16, little-endian': {
    write: (text) => Buffer.from(text, 'utf16le'),
    read: (bytes) => bytes.toString('utf16le'),
  },
  'UTF-16, big-endian': {
    write: (text) => Buffer.from(text, 'utf16le').swap16(),
    read: (bytes) => Buffer.from(bytes).swap16().toString('utf16le'),
  },
  'UTF-32, big-endian': {
    write: (text) => Buffer.concat([...text].map((character) => wide(character.codePointAt(0) ?? 0))),
    read: (bytes) =>
      Array.from({ length: bytes.length / 4 }, (_, index) =>
        String.fromCodePoint(bytes.readUInt32BE(index * 4)),
      ).join(''),
  },
}

function wide(code: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(code)
  return bytes
}

const decoded = (text: string) =>
  text
    .replace(/&#(\d+);/g, (_, code) => String.fromCodePoint(Number(code)))
    .replace(/&#x([\da-f]+);/gi, (_, code) => String.fromCodePoint(Number.parseInt(code, 16)))

/** Every tag that opens closes, in order, with nothing but names and quoted values in it. */
function assertBalanced(xml: string): void {
  const open: string[] = []
  const rest = xml.replace(/<!\[CDATA\[.*?\]\]>|<!--.*?-->|<\?.*?\?>/gs, '')
  const tags = rest.matchAll(/<(\/?)([\w:.-]+)((?:\s+[\w:.-]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>/g)
  let seen = 0
  for (const [tag, closes, name = '', , empty] of tags) {
    seen += tag.split('<').length - 1
    if (closes) assert.equal(open.pop(), name)
    else if (!empty) open.push(name)
  }
  assert.deepEqual(open, [])
  assert.equal(rest.split('<').length - 1, seen, 'what is left of a tag')
}

describe('wherever coordinates stand in XMP, they go and the rest stays:', () => {
  for (const [name, { write, read }] of Object.entries(ENCODINGS)) {
    test(name, () => {
      fc.assert(
        fc.property(packets, ({ packet, digits, kept }) => {
          const before = write(packet)
          const after = withoutXmpLocation(before)
          assert.ok(after, 'something was found')
          assert.equal(after.length, before.length)
          const text = read(after)
          for (const planted of digits) assert.ok(!decoded(text).includes(planted), `${planted} in ${text}`)
          for (const property of kept) assert.ok(text.includes(property), `${property} is gone`)
          assertBalanced(text)
          assert.equal(withoutXmpLocation(after), undefined, 'nothing is left to do')
        }),
        { numRuns: name === 'UTF-8' ? 1000 : 200 },
      )
    })
  }
})

test('numbers that are no location stay: crops, colours, lenses, regions, dates', () => {
  for (const property of HARMLESS)
    assert.equal(withoutXmpLocation(Buffer.from(packetOf([property]))), undefined, property)
  assert.equal(withoutXmpLocation(Buffer.from(packetOf([...HARMLESS]))), undefined)
  const blob = Buffer.from(Array.from({ length: 90_000 }, (_, index) => (index * 7919 * index) % 251))
  const depth = `<rdf:li GDepth:Data="${blob.toString('base64')}2N82W+51+000/"/>`
  assert.equal(withoutXmpLocation(Buffer.from(packetOf([depth]))), undefined, 'base64')
})

/** As programs write it, each with the words that must be gone. */
const KNOWN: Record<string, [xml: string, ...gone: string[]]> = {
  'Darwin Core': [
    '<dwc:decimalLatitude>-41.0983423</dwc:decimalLatitude><dwc:decimalLongitude>-121.1761111</dwc:decimalLongitude><dwc:footprintWKT>POLYGON ((10 20, 11 21))</dwc:footprintWKT><dwc:verbatimCoordinates>41 05 54S 121 10 34W</dwc:verbatimCoordinates><dwc:minimumElevationInMeters>117</dwc:minimumElevationInMeters>',
    '41.098',
    '121.17',
    '10 20',
    '41 05',
    '117',
  ],
  'Geotate, a point of interest': [
    '<rdf:li xmlns:Geotate="http://ns.geotate.com/1.0/" Geotate:POI="51.5089,-0.1280"/><POI latitude="51.5089" longitude="-0.1280"/>',
    '51.5',
    '0.128',
  ],
  'the geo vocabulary under another prefix': [
    '<w:Point xmlns:w="http://www.w3.org/2003/01/geo/wgs84_pos#"><w:lat>51</w:lat><w:alt>33</w:alt></w:Point>',
    '51',
    '33',
  ],
  'machine tags': [
    '<dc:subject><rdf:Bag><rdf:li>geotagged</rdf:li><rdf:li>geo:lat=51.5</rdf:li><rdf:li>geo:lon=-0.12</rdf:li></rdf:Bag></dc:subject>',
    '51.5',
    '0.12',
  ],
  'a location with details': [
    '<Iptc4xmpExt:LocationCreated><rdf:Bag><rdf:li rdf:parseType="Resource"><exif:GPSLatitude>51,30.5N</exif:GPSLatitude><Iptc4xmpExt:City>stays</Iptc4xmpExt:City></rdf:li></rdf:Bag></Iptc4xmpExt:LocationCreated>',
    '51,30',
  ],
  'a comment': ['<!-- GPSLatitude 51 --><a:b>stays</a:b>', '51'],
  'an altitude': ['<drone-dji:AbsoluteAltitude>+117.10</drone-dji:AbsoluteAltitude>', '117'],
}

describe('a location goes that is written as', () => {
  for (const [what, [xml, ...gone]] of Object.entries(KNOWN)) {
    test(what, () => {
      const after = withoutXmpLocation(Buffer.from(packetOf([xml])))?.toString() ?? xml
      for (const trace of gone) assert.ok(!after.includes(trace), `${trace} is left`)
      assert.equal(after.includes('stays'), xml.includes('stays'))
      assertBalanced(after)
    })
  }
})

test('a declaration of a namespace stays, whatever it is called', () => {
  const xml = '<rdf:li xmlns:gps="http://gps.example/" xmlns:g="u" gps:x="7" g:y="stays"/>'
  const after = withoutXmpLocation(Buffer.from(packetOf([xml])))?.toString() ?? ''
  assert.ok(after.includes('xmlns:gps="http://gps.example/"') && after.includes('g:y="stays"'))
  assert.ok(!after.includes('gps:x'))
})

test('a packet that defines its own entities, or is not well-formed, is blanked if it contains a location', () => {
  for (const packet of [
    '<!DOCTYPE x [<!ENTITY a "51.50897">]><x:xmpmeta><a:b c:lat="&a;"/></x:xmpmeta>',
    '<x:xmpmeta><rdf:li exif:GPSLatitude="51 ></x:xmpmeta>',
    '<x:xmpmeta><rdf:li a="at 51.50897, -0.12794 ></x:xmpmeta>',
  ])
    assert.equal(withoutXmpLocation(Buffer.from(packet))?.toString().trim(), '', packet)
})

test('a drawing keeps its numbers, and its metadata lose the location', () => {
  const drawing = (about: string) =>
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><metadata>${about}</metadata><path d="M51.50897,-0.12794 L12.34567,89.12345"/><text x="51.50897" lat="3">51.50897, -0.12794</text></svg>`
  assert.equal(withoutSvgLocation(Buffer.from(drawing('<dc:title>Map</dc:title>'))), undefined)
  const located = drawing('<a:b>48.85837, 2.29448</a:b><exif:GPSLatitude>48,51.5N</exif:GPSLatitude>')
  const after = withoutSvgLocation(Buffer.from(located))?.toString() ?? ''
  assert.equal(
    after.replace(/<metadata>\s*<\/metadata>/, ''),
    drawing('').replace('<metadata></metadata>', ''),
  )
})

/** The packet in each kind of file, and how to read it from there. */
const drawn = () => drawQuarters(40, 30)
const FILES: Record<string, (xmp: string) => Promise<Buffer>> = {
  jpeg: (xmp) => drawn().jpeg().withXmp(xmp).toBuffer(),
  'jpeg with an extension': async (xmp) => {
    const guid = '0123456789ABCDEF'.repeat(2)
    const main = packetOf([`<rdf:li xmpNote:HasExtendedXMP="${guid}"/>`])
    const whole = Buffer.from(xmp)
    const half = Math.floor(whole.length / 2)
    const segments = [0, half].map((from) => {
      const place = Buffer.concat([wide(whole.length), wide(from)])
      const head = Buffer.from(`http://ns.adobe.com/xmp/extension/\0${guid}`)
      const part = whole.subarray(from, from === 0 ? half : whole.length)
      return jpegSegment(0xe1, Buffer.concat([head, place, part]))
    })
    const file = await drawn().jpeg().withXmp(main).toBuffer()
    return Buffer.concat([file.subarray(0, 2), ...segments, file.subarray(2)])
  },
  png: (xmp) => drawn().png().withXmp(xmp).toBuffer(),
  webp: (xmp) => drawn().webp().withXmp(xmp).toBuffer(),
  avif: (xmp) => drawn().avif({ effort: 0 }).withXmp(xmp).toBuffer(),
  heic: async (xmp) => heicWith([xmpItem(xmp)]),
  tiff: async (xmp) => tiffWithLocation(await drawn().tiff().toBuffer(), xmp),
  gif: async (xmp) => gifWithXmp(await drawn().gif().toBuffer(), xmp),
}

/** The bytes, and what of a PNG is packed in them. */
async function readable(file: Buffer): Promise<string> {
  const { xmp, format } = await sharp(file, { failOn: 'none' })
    .metadata()
    .catch(() => ({ xmp: undefined, format: undefined }))
  return decoded(file.toString('latin1') + (format === 'png' && xmp ? xmp.toString('latin1') : ''))
}

describe('no coordinate is left in the served bytes, and the picture is unchanged:', () => {
  for (const [kind, make] of Object.entries(FILES)) {
    test(kind, async () => {
      await fc.assert(
        fc.asyncProperty(packets, async ({ packet, digits, kept }) => {
          const before = await make(packet)
          const seen = await it.examine(before)
          const after = readFileSync(seen.file.path)
          const text = kind === 'jpeg with an extension' ? joined(after) : await readable(after)
          for (const planted of digits) assert.ok(!text.includes(planted), `${planted} is left`)
          for (const property of kept) {
            const bytes = Buffer.from(property).toString('latin1')
            assert.ok(text.includes(bytes), `${property} is gone`)
          }
          if (kind !== 'heic')
            assert.deepEqual(await sharp(after).raw().toBuffer(), await sharp(before).raw().toBuffer())
          assert.ok((await it.examine(after)).file.isUnchanged, 'nothing is left to do')
        }),
        { numRuns: 12 },
      )
    })
  }
})

/** The parts of an extension, with all that stands between them left out. */
function joined(file: Buffer): string {
  const parts = [...file.toString('latin1').matchAll(/http:\/\/ns\.adobe\.com\/xmp\/extension\/\0/g)]
  return decoded(
    parts
      .map(({ index }) => {
        const end = index - 4 + 2 + file.readUInt16BE(index - 2)
        return file.toString('latin1', index + 35 + 40, end)
      })
      .join(''),
  )
}
