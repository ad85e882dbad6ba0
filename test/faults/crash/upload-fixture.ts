import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import type { Imaging } from '../../../src/imaging/index.ts'
import { multipartOf } from '../../support/uploads.ts'
import { sha256Of } from './service.ts'

/** The stored bytes of a picture: of the file, then of its versions. */
export type Hashes = readonly string[]

/** One that is stored as it is, one that is stored without its place, and one that comes in a single piece. */
const pictureNames = ['plain', 'located', 'small'] as const
type PictureName = (typeof pictureNames)[number]

/** Draws the pictures, and looks what becomes of each. */
export async function makePictures(folder: string, imaging: Imaging): Promise<Record<PictureName, Hashes>> {
  const hashes = {} as Record<PictureName, Hashes>
  for (const name of pictureNames) {
    const path = join(folder, `${name}.jpg`)
    const outputFolder = join(folder, name)
    await mkdir(outputFolder)
    await writeFile(path, await drawn(name))
    const examined = await imaging.examine(path, { tenantKey: 'a', outputFolder, policy: 'strip_location' })
    if (examined.type !== 'image') throw new Error(`This is a ${examined.type}.`)
    const paths = [examined.file.path, examined.thumb.path, examined.medium?.path ?? '']
    hashes[name] = await Promise.all(paths.map(async (each) => sha256Of(await readFile(each))))
  }
  return hashes
}

/** The large ones have more bytes than the spool writes at once, since nothing in them can be foretold. */
async function drawn(name: PictureName): Promise<Buffer> {
  const [width, height] = [640, 480]
  const bytes = Buffer.alloc(width * height * 3)
  for (let at = 0, state = pictureNames.indexOf(name) + 1; at < bytes.length; at += 1) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    bytes[at] = name === 'small' ? (state >> 16) % 12 : state >> 16
  }
  const picture = sharp(bytes, { raw: { width, height, channels: 3 } }).jpeg({ quality: 80 })
  const place = { GPSLatitudeRef: 'N', GPSLatitude: '52/1 30/1 0/1' }
  return (name === 'located' ? picture.withExif({ IFD3: place }) : picture).toBuffer()
}

/** A picture as a file in a form, one as base64 in a form, and the address of one. */
export async function writeBodies(folder: string, url: string): Promise<Record<BodyName, string>> {
  const form = multipartOf([
    { name: 'title', value: 'A cat' },
    { name: 'tags', value: 'cats,white' },
    { name: 'source', value: await readFile(join(folder, 'plain.jpg')), fileName: 'cat.jpg' },
  ])
  const base64 = (await readFile(join(folder, 'located.jpg'))).toString('base64')
  await writeFile(join(folder, 'multipart.body'), form.bytes)
  await writeFile(join(folder, 'base64.body'), new URLSearchParams({ source: base64 }).toString())
  await writeFile(join(folder, 'url.body'), new URLSearchParams({ source: url }).toString())
  const urlencoded = 'application/x-www-form-urlencoded'
  return { multipart: form.type, base64: urlencoded, url: urlencoded }
}

export type BodyName = 'multipart' | 'base64' | 'url'
