import assert from 'node:assert/strict'
import { existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ExifReader from 'exifreader'
import { test } from 'vitest'
import { type Examined, startImaging } from '../../src/imaging/index.ts'
import { Refusal } from '../../src/lib/refusal.ts'
import { drawQuarters, EXIF, XMP } from '../support/fixtures/imaging-pictures.ts'
import { packetOf } from '../support/fixtures/imaging-xmp.ts'

const CORPUS = fileURLToPath(new URL('../../../shared/corpus/', import.meta.url))
const PICTURES = '**/*.{jpg,jpeg,JPG,jfif,png,gif,webp,avif,heic,HEIC,heif,hif,tif,tiff}'

/** A smaller number than this is found by chance. */
const LEAST_DIGITS = 5

/** The numbers of a file's location as another reader finds them, in every form in which its bytes may hold them. */
async function numbersOf(file: Buffer): Promise<Map<string, string>> {
  const traces = new Map<string, string>()
  const load = async () => ExifReader.load(file, { expanded: true, async: true })
  const tags = await load().catch(() => undefined)
  for (const [name, tag] of Object.entries({ ...tags?.exif }) as [string, { value?: unknown }][]) {
    if (!/^GPS(?:Dest)?(?:Latitude|Longitude|Altitude)$/.test(name) || !Array.isArray(tag.value)) continue
    for (const [count, of] of tag.value.flat().length === 2 ? [tag.value] : tag.value) {
      // Nothing on earth is more than 180 degrees, or minutes and seconds, from anything.
      if (String(count).length < LEAST_DIGITS || count / of > 9000) continue
      const [little, big] = [Buffer.alloc(8), Buffer.alloc(8)]
      little.writeUInt32LE(count)
      little.writeUInt32LE(of, 4)
      big.writeUInt32BE(count)
      big.writeUInt32BE(of, 4)
      for (const bytes of [little, big]) traces.set(bytes.toString('latin1'), `${name} ${count}/${of}`)
    }
  }
  for (const [name, text] of propertiesIn({ ...tags?.xmp })) {
    if (!/gps|latitude|longt?itude|coordinates|footprint|^lat$|^long?$/i.test(name)) continue
    for (const [number] of text.matchAll(/\d+(?:\.\d+)?/g)) {
      const isRound = /^10*$/.test(number)
      if (!isRound && number.replace('.', '').length >= LEAST_DIGITS) traces.set(number, `${name} ${number}`)
    }
  }
  return traces
}

/** Each text with the name that it stands under, however deep. */
function* propertiesIn(tags: object): Generator<[string, string]> {
  for (const [name, tag] of Object.entries(tags)) {
    const inner = tag?.value
    if (typeof inner === 'string') yield [name, inner]
    else if (Array.isArray(inner)) {
      yield [name, inner.map(({ value }) => String(value)).join(' ')]
      for (const member of inner) yield* propertiesIn(Object(member?.value ?? member))
    } else if (inner) yield* propertiesIn(inner)
  }
}

/** Files of our own, so that there is something to find without a collection too. */
async function drawnFiles(): Promise<[string, Buffer][]> {
  const drawn = () => drawQuarters(64, 48)
  return [
    ['drawn.jpg', await drawn().jpeg().withExif(EXIF).withXmp(XMP).toBuffer()],
    ['drawn.webp', await drawn().webp().withExif(EXIF).toBuffer()],
    [
      'drawn with Darwin Core.jpg',
      await drawn()
        .jpeg()
        .withXmp(packetOf([DARWIN_CORE]))
        .toBuffer(),
    ],
  ]
}

const DARWIN_CORE =
  '<dwc:Location xmlns:dwc="http://rs.tdwg.org/dwc/terms/" rdf:parseType="Resource"><dwc:decimalLatitude>-41.0983423</dwc:decimalLatitude></dwc:Location>'

const served = (seen: Examined): Buffer =>
  Buffer.concat([
    ...[seen.file, seen.thumb, seen.medium].flatMap((file) => (file ? [readFileSync(file.path)] : [])),
    Buffer.from(seen.metadata ?? ''),
  ])

const isThere = existsSync(CORPUS)
if (!isThere) console.warn(`There is no collection at ${CORPUS}.`)

async function* allFiles(): AsyncGenerator<[string, Buffer]> {
  yield* await drawnFiles()
  for (const path of isThere ? globSync(PICTURES, { cwd: CORPUS }) : [])
    yield [path, readFileSync(join(CORPUS, path))]
}

test('of every file, and every one of a public collection, no number of its location is in the bytes that are served', async () => {
  const output = mkdtempSync(join(tmpdir(), 'terrace-location-'))
  const left: string[] = []
  let located = 0
  {
    await using imaging = startImaging({ children: 1 })
    for await (const [path, file] of allFiles()) {
      const traces = await numbersOf(file)
      if (traces.size === 0) continue
      const outputFolder = join(output, String(located))
      mkdirSync(outputFolder)
      writeFileSync(`${outputFolder}.upload`, file)
      const request = { tenantKey: 'a', policy: 'strip_location', outputFolder } as const
      const seen = await imaging.examine(`${outputFolder}.upload`, request).catch((error) => {
        if (error instanceof Refusal) return undefined
        throw error
      })
      located++
      const bytes = seen === undefined ? Buffer.alloc(0) : served(seen)
      for (const [trace, name] of traces)
        if (bytes.includes(trace, 0, 'latin1')) left.push(`${path}: ${name}`)
    }
  }
  rmSync(output, { recursive: true })
  assert.deepEqual(left, [])
  assert.ok(located >= 3, `${located} files had a location`)
}, 300_000)
