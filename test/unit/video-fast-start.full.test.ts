import assert from 'node:assert/strict'
import { closeSync, ftruncateSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs'
import { test } from 'vitest'
import { openBytes } from '../../src/formats/containers/bytes.ts'
import { planRewrite } from '../../src/formats/video/rewrite-video.ts'
import {
  box,
  framesOf,
  numbers,
  outline,
  packetsOf,
  partOf,
  rewrite,
  temporaryPath,
  videoArguments,
  withInHeader,
} from '../support/fixtures/video-boxes.ts'
import { moving, programmed, sound, videoOf, videos } from '../support/fixtures/videos.ts'

const keepMp4 = { kind: 'mp4', policy: 'keep' } as const
const keepMov = { kind: 'mov', policy: 'keep' } as const

const pcm = [...moving(), ...sound(), '-c:v', 'mjpeg', '-c:a', 'pcm_s16le']
const chapters = temporaryPath('chapters.txt')

/** Films whose header stands behind the media, as ffmpeg and cameras write them. */
const LATE: Record<string, { name: string; words: () => string[] }> = {
  'H.264 and AAC in MP4': { name: 'late.mp4', words: () => videoArguments },
  'H.264 and AAC in MOV': { name: 'late.mov', words: () => videoArguments },
  'no sound': { name: 'silent.mp4', words: () => [...moving(), '-c:v', 'mpeg4'] },
  'five tracks': {
    name: 'tracks.mp4',
    words: () => [
      ...moving(),
      ...moving({ size: '64x48' }),
      ...sound(),
      ...sound(1),
      ...sound(2),
      '-map',
      '0',
      '-map',
      '1',
      '-map',
      '2',
      '-map',
      '3',
      '-map',
      '4',
      '-c:v',
      'mpeg4',
      '-c:a',
      'aac',
    ],
  },
  chapters: {
    name: 'chapters.mp4',
    words: () => [...moving(), '-f', 'ffmetadata', '-i', chapters, '-map_chapters', '1', '-c:v', 'mpeg4'],
  },
  'frames out of order and an edit list': {
    name: 'reordered.mp4',
    words: () => [
      ...moving({ seconds: 3 }),
      '-c:v',
      'libx264',
      '-bf',
      '3',
      '-pix_fmt',
      'yuv420p',
      '-ss',
      '0.5',
    ],
  },
  'a sound coded sample by sample': {
    name: 'pcm.mov',
    words: () => pcm,
  },
}

videos.describe('the video header', () => {
  for (const [what, { name, words }] of Object.entries(LATE)) {
    const run = what === 'chapters' ? programmed.test : test
    run(`comes to the front, and every frame stays as it was: ${what}`, async () => {
      writeChapters()
      const late = await videoOf(name, ...words())
      const kind = name.endsWith('mov') ? 'mov' : 'mp4'
      assert.ok(outline(late).indexOf('moov') > outline(late).indexOf('mdat'))

      const { result, video } = rewrite(late, { kind, policy: 'keep' })
      assert.deepEqual(outline(video), [
        'ftyp',
        'moov',
        ...outline(late).filter((type) => !/ftyp|moov/.test(type)),
      ])
      assert.ok(!result.isUnchanged && result.sizeBytes === late.length && video.length === late.length)
      assert.ok(partOf(video, 'mdat').equals(partOf(late, 'mdat')))
      assert.equal(await packetsOf(video), await packetsOf(late))
      assert.equal(await framesOf(video), await framesOf(late))
      assert.deepEqual(rewrite(video, { kind, policy: 'keep' }).result, { isUnchanged: true })
    })
  }

  test('lies as ffmpeg would have put it', async () => {
    const { video } = rewrite(await videoOf('late.mp4', ...videoArguments), keepMp4)
    const theirs = await videoOf('early.mp4', ...videoArguments, '-movflags', '+faststart')
    assert.equal(await framesOf(video), await framesOf(theirs))
    assert.ok(video.equals(theirs))
  })

  test('that stands in front already leaves the file as it came', async () => {
    const early = await videoOf('early.mp4', ...videoArguments, '-movflags', '+faststart')
    assert.deepEqual(rewrite(early, keepMp4).result, { isUnchanged: true })
    const pieces = await videoOf(
      'pieces.mp4',
      ...videoArguments,
      '-movflags',
      'frag_keyframe+empty_moov+default_base_moof',
    )
    assert.deepEqual(rewrite(pieces, keepMp4).result, { isUnchanged: true })
  })

  test('takes with it what an encrypted video needs', async () => {
    const key = '00112233445566778899aabbccddeeff'
    const words = ['-encryption_scheme', 'cenc-aes-ctr', '-encryption_key', key, '-encryption_kid', key]
    const late = await videoOf('secret.mp4', ...videoArguments, ...words)
    const { video } = rewrite(late, keepMp4)
    assert.deepEqual(outline(video).slice(0, 2), ['ftyp', 'moov'])
    const shown = await framesOf(late, '-decryption_key', key)
    assert.equal(await framesOf(video, '-decryption_key', key), shown)
    assert.notEqual(await framesOf(video).catch(() => 'nothing'), shown)
    // Its offsets lead into the header itself.
    const withTimeout = (file: Buffer) => {
      const [table] = tablesIn(file, 'saio', 4)
      assert.ok(table)
      return offsetsIn(file, table, 4).map((offset) => offset - file.indexOf(partOf(file, 'moov')))
    }
    assert.ok(withTimeout(late).every((offset) => offset > 0))
    assert.deepEqual(withTimeout(video), withTimeout(late))
  })

  test('may be of a size that means the rest of the file, or of one in eight bytes', async () => {
    const late = await videoOf('late.mov', ...videoArguments)
    const header = partOf(late, 'moov')
    const before = late.subarray(0, late.length - header.length)
    const shown = await framesOf(late)
    for (const head of [numbers(0, 0x6d6f6f76), numbers(1, 0x6d6f6f76, 0, header.length + 8)]) {
      const { video } = rewrite(Buffer.concat([before, head, header.subarray(8)]), keepMov)
      assert.equal(outline(video)[1], 'moov')
      assert.equal(await framesOf(video), shown)
      assert.deepEqual(rewrite(video, keepMov).result, { isUnchanged: true })
    }
  })

  test('comes first where a video of long ago does not say its type', async () => {
    const late = await videoOf('pcm.mov', ...pcm)
    const type = partOf(late, 'ftyp')
    // Of the same length, as offsets in the file must stay.
    const old = Buffer.concat([box('wide', type.subarray(8)), late.subarray(type.length)])
    const { video } = rewrite(old, keepMov)
    assert.equal(outline(video)[0], 'moov')
    assert.equal(await framesOf(video), await framesOf(late))
  })

  test('stays if it has offsets in unknown boxes, or in other files', async () => {
    const late = await videoOf('late.mp4', ...videoArguments)
    const items = box('meta', numbers(0), box('iloc', numbers(0, 0)))
    const elsewhere = Buffer.from(late)
    elsewhere.writeUInt32BE(0, late.indexOf(numbers(1), late.indexOf('url ', 0, 'latin1')))
    const strange = {
      items: withInHeader(late, items),
      'items beside it': Buffer.concat([late, items]),
      'another header': Buffer.concat([late, partOf(late, 'moov')]),
      fragments: Buffer.concat([late, box('moof')]),
      'an index of fragments': Buffer.concat([late, box('mfra')]),
      'another file': elsewhere,
    }
    for (const [what, video] of Object.entries(strange)) {
      assert.deepEqual(rewrite(video, keepMp4).result, { isUnchanged: true }, what)
    }
  })
})

videos.describe('offsets beyond four gigabytes', () => {
  test('get eight bytes each, and still lead to the same bytes', async () => {
    const late = await videoOf('late.mp4', ...videoArguments)
    const header = partOf(late, 'moov')
    const media = partOf(late, 'mdat')
    const mediaAt = late.indexOf(media) + 8
    // A hole of four gigabytes before the samples; what is planned reads no more than the header.
    const offsets = tablesIn(header, 'stco', 4).flatMap((table) => offsetsIn(header, table, 4))
    const hole = 2 ** 32 - 1 - Math.max(...offsets)
    const path = temporaryPath('huge.mp4')
    const file = openSync(path, 'w')
    const shifted = Buffer.from(header)
    for (const { at, count } of tablesIn(header, 'stco', 4)) {
      for (let index = 0; index < count; index++) {
        shifted.writeUInt32BE(header.readUInt32BE(at + index * 4) + hole, at + index * 4)
      }
    }
    const headerAt = mediaAt + hole + media.length - 8
    const length = headerAt - (mediaAt - 8)
    const head = numbers(1, 0x6d646174, Math.floor(length / 2 ** 32), length % 2 ** 32)
    writeSync(file, Buffer.concat([late.subarray(0, mediaAt - 8), head]), 0, null, 0)
    writeSync(file, media.subarray(8), 0, null, mediaAt + hole)
    writeSync(file, shifted, 0, null, headerAt)
    ftruncateSync(file, headerAt + shifted.length)
    closeSync(file)

    using bytes = openBytes(path)
    const [insertion, removal, ...rest] = planRewrite(bytes, keepMp4)
    rmSync(path)
    assert.ok(insertion && removal && rest.length === 0)
    assert.deepEqual([removal.start, removal.end], [headerAt, bytes.size])
    assert.equal(insertion.start, partOf(late, 'ftyp').length)
    const before = tablesIn(shifted, 'stco', 4).flatMap((table) => offsetsIn(shifted, table, 4))
    const after = tablesIn(insertion.bytes, 'co64', 8).flatMap((table) =>
      offsetsIn(insertion.bytes, table, 8),
    )
    assert.deepEqual(tablesIn(insertion.bytes, 'stco', 4), [])
    assert.ok(after.some((offset) => offset >= 2 ** 32))
    assert.deepEqual(
      after,
      before.map((offset) => offset + insertion.bytes.length),
    )
    assert.deepEqual(outline(insertion.bytes), ['moov'])
    // The same header before the samples alone, offsets brought down again: it plays.
    const small = Buffer.from(insertion.bytes)
    const type = partOf(late, 'ftyp')
    const start = type.length + small.length + 8
    for (const table of tablesIn(small, 'co64', 8)) {
      for (const [index, offset] of offsetsIn(shifted, tableLike(table, small, shifted), 4).entries()) {
        small.writeBigUInt64BE(BigInt(offset - hole - mediaAt + start), table.at + index * 8)
      }
    }
    const video = Buffer.concat([type, small, media])
    assert.equal(await framesOf(video), await framesOf(late))
  })
})

interface Table {
  at: number
  count: number
}

function tablesIn(header: Buffer, type: string, width: number): Table[] {
  const tables: Table[] = []
  for (
    let found = header.indexOf(type, 0, 'latin1');
    found !== -1;
    found = header.indexOf(type, found + 4, 'latin1')
  ) {
    const count = header.readUInt32BE(found + 8)
    assert.equal(header.readUInt32BE(found - 4), 16 + count * width)
    tables.push({ at: found + 12, count })
  }
  return tables
}

const offsetsIn = (header: Buffer, { at, count }: Table, width: 4 | 8): number[] =>
  Array.from({ length: count }, (_, index) =>
    width === 4 ? header.readUInt32BE(at + index * 4) : Number(header.readBigUInt64BE(at + index * 8)),
  )

/** The table of the same track in the other header. */
function tableLike(table: Table, header: Buffer, other: Buffer): Table {
  const index = tablesIn(header, 'co64', 8).findIndex(({ at }) => at === table.at)
  const like = tablesIn(other, 'stco', 4)[index]
  assert.ok(like)
  return like
}

function writeChapters(): void {
  const chapter = (name: string, from: number, to: number) =>
    `[CHAPTER]\nTIMEBASE=1/1000\nSTART=${from}\nEND=${to}\ntitle=${name}\n`
  writeFileSync(chapters, `;FFMETADATA1\n${chapter('One', 0, 900)}${chapter('Two', 900, 2000)}`)
}
