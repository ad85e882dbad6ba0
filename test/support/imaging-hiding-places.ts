import sharp from 'sharp'
import { writeChunk } from '../../src/formats/containers/png-chunks.ts'
import { exifItem, heicWith } from './imaging-heic.ts'
import { drawQuarters, EXIF, jpegSegment } from './imaging-pictures.ts'
import { box, numbers } from './video-boxes.ts'

/** A place, in each way that files write it. */
export const SPOT = '+37.3349-122.0090+020/'
const LATITUDE = 51.50897
const LONGITUDE = -0.12794

export async function exifBlock(): Promise<Buffer> {
  const { exif } = await sharp(await drawQuarters(8, 8).jpeg().withExif(EXIF).toBuffer()).metadata()
  return (exif ?? Buffer.alloc(0)).subarray(6)
}

/** A video of one moment that says where it was taken, and by what. */
export function moment(media = 'moving pictures'): Buffer {
  const told = box('udta', box('\xa9xyz', '\0\x16\x15\xc7', SPOT), box('\xa9mak', 'Lens'))
  const header = box('moov', box('mvhd', numbers(0, 1, 1, 1000, 1000), Buffer.alloc(80)), told)
  return Buffer.concat([box('ftyp', 'mp42\0\0\0\0mp42isom'), box('mdat', media), header])
}

/** Behind the picture, as Google's container lists it. */
export async function googleMotionPhoto(): Promise<Buffer> {
  const video = moment()
  const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description
 xmlns:GCamera="http://ns.google.com/photos/1.0/camera/" xmlns:Container="http://ns.google.com/photos/1.0/container/"
 xmlns:Item="http://ns.google.com/photos/1.0/container/item/" GCamera:MotionPhoto="1" GCamera:MotionPhotoPresentationTimestampUs="501234">
<Container:Directory><rdf:Seq><rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="image/jpeg" Item:Semantic="Primary"/></rdf:li>
<rdf:li rdf:parseType="Resource"><Container:Item Item:Mime="video/mp4" Item:Semantic="MotionPhoto" Item:Length="${video.length}"/></rdf:li>
</rdf:Seq></Container:Directory></rdf:Description></rdf:RDF></x:xmpmeta>`
  return Buffer.concat([await drawQuarters(64, 48).jpeg().withXmp(xmp).toBuffer(), video])
}

/** Between the blocks of a Samsung trailer, which counts back from its end. */
export async function samsungMotionPhoto(): Promise<Buffer> {
  const little = (...values: number[]) => {
    const bytes = Buffer.alloc(values.length * 4)
    for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4)
    return bytes
  }
  const name = Buffer.from('MotionPhoto_Data')
  const block = Buffer.concat([Buffer.from([0, 0, 0x30, 0x0a]), little(name.length), name, moment()])
  const entry = Buffer.concat([Buffer.from([0, 0, 0x30, 0x0a]), little(block.length, block.length)])
  const directory = Buffer.concat([Buffer.from('SEFH'), little(106, 1), entry])
  const picture = await drawQuarters(64, 48).jpeg().toBuffer()
  return Buffer.concat([picture, block, directory, little(directory.length), Buffer.from('SEFT')])
}

/** In a box of its own beside the items. */
export const heicMotionPhoto = (exif: Buffer): Buffer =>
  Buffer.concat([heicWith([exifItem(exif)]), box('mpvd', moment())])

/** A thermal picture in two segments, with a record of its camera and one of the place. */
export async function flirJpeg(): Promise<Buffer> {
  const record = (type: number, at: number, length: number) => {
    const entry = Buffer.alloc(32)
    entry.writeUInt16BE(type, 0)
    entry.writeUInt32BE(at, 12)
    entry.writeUInt32BE(length, 16)
    return entry
  }
  const camera = Buffer.from('ThermaCam P25 '.repeat(20))
  const gps = Buffer.alloc(256)
  gps.writeUInt32LE(1, 0)
  gps.write('\x02\x02\0\0N\0\0\0W\0\0\0', 4, 'latin1')
  gps.writeDoubleLE(LATITUDE, 16)
  gps.writeDoubleLE(LONGITUDE, 24)
  const head = Buffer.alloc(64)
  head.write('FFF\0MAKER', 'latin1')
  head.writeUInt32BE(101, 20)
  head.writeUInt32BE(64, 24)
  head.writeUInt32BE(2, 28)
  const cameraAt = 64 + 2 * 32
  const table = [record(0x20, cameraAt, camera.length), record(0x2b, cameraAt + camera.length, gps.length)]
  const file = Buffer.concat([head, ...table, camera, gps])
  // The record of the place lies across the border of the segments.
  const cut = file.length - gps.length + 20
  const parts = [file.subarray(0, cut), file.subarray(cut)].map((part, index) =>
    jpegSegment(0xe1, Buffer.concat([Buffer.from('FLIR\0\x01', 'latin1'), Buffer.from([index, 1]), part])),
  )
  const picture = await drawQuarters(64, 48).jpeg().toBuffer()
  return Buffer.concat([picture.subarray(0, 2), ...parts, picture.subarray(2)])
}

export const FLIR_TRACES = [LATITUDE, LONGITUDE].map((value) => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return bytes.toString('latin1')
})

/** Exif under a header that is not quite the standard's. */
export async function oddlyHeadedJpeg(exif: Buffer): Promise<Buffer> {
  const picture = await drawQuarters(64, 48).jpeg().toBuffer()
  const segment = jpegSegment(0xe1, Buffer.concat([Buffer.from('Exif\0\xff', 'latin1'), exif]))
  return Buffer.concat([picture.subarray(0, 2), segment, picture.subarray(2)])
}

/** Exif behind the end of a PNG, and something behind that. */
export async function pngWithExifBehind(exif: Buffer): Promise<Buffer> {
  const picture = await drawQuarters(64, 48).png().toBuffer()
  return Buffer.concat([picture, writeChunk('eXIf', exif), Buffer.from('{"latitude": 51.50897}')])
}

/** A manifest of provenance that repeats what Exif said. */
export async function manifestJpeg(): Promise<Buffer> {
  const picture = await drawQuarters(64, 48).jpeg().toBuffer()
  const data = Buffer.from('JP\0\x01\0\0\0\x01\0\0\0\x40jumb{"exif:GPSLatitude":"51,30.538N"}', 'latin1')
  return Buffer.concat([picture.subarray(0, 2), jpegSegment(0xeb, data), picture.subarray(2)])
}
