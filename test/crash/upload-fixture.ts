import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { startImaging } from '../../src/imaging/index.ts'
import { multipartOf } from '../uploads.ts'
import { type Examination, sha256Of } from './canned-imaging.ts'

/** The stored bytes of a picture: of the file, then of its versions. */
export type Hashes = readonly string[]

/** Draws a picture that is stored as it is and one that is stored without its place, and examines both. */
export async function makePictures(folder: string): Promise<Record<'plain' | 'located', Hashes>> {
  await using imaging = startImaging({ children: 1 })
  const examinations: Examination[] = []
  const hashes: Record<string, Hashes> = {}
  for (const name of ['plain', 'located']) {
    const path = join(folder, `${name}.jpg`)
    const outputFolder = join(folder, name)
    await mkdir(outputFolder)
    const source = await drawn(name === 'located')
    await writeFile(path, source)
    const examined = await imaging.examine(path, { share: 'a', outputFolder, policy: 'strip_location' })
    examinations.push({ sourceSha256: sha256Of(source), examined })
    const paths = [examined.file.path, examined.thumb.path, examined.medium?.path ?? '']
    hashes[name] = await Promise.all(paths.map(async (each) => sha256Of(await readFile(each))))
  }
  await writeFile(join(folder, 'examinations.json'), JSON.stringify(examinations))
  return hashes as Record<'plain' | 'located', Hashes>
}

/** Of more bytes than the spool writes at once, since nothing in it can be foretold. */
async function drawn(isLocated: boolean): Promise<Buffer> {
  const [width, height] = [640, 480]
  const bytes = Buffer.alloc(width * height * 3)
  for (let at = 0, state = isLocated ? 7 : 1; at < bytes.length; at += 1) {
    state = (state * 1_103_515_245 + 12_345) & 0x7fffffff
    bytes[at] = state >> 16
  }
  const picture = sharp(bytes, { raw: { width, height, channels: 3 } }).jpeg({ quality: 80 })
  const place = { GPSLatitudeRef: 'N', GPSLatitude: '52/1 30/1 0/1' }
  return (isLocated ? picture.withExif({ IFD3: place }) : picture).toBuffer()
}

/** The same picture as a file in a form, and as base64 in one. */
export async function writeBodies(folder: string): Promise<Record<'multipart' | 'base64', string>> {
  const form = multipartOf([
    { name: 'title', value: 'A cat' },
    { name: 'tags', value: 'cats,white' },
    { name: 'source', value: await readFile(join(folder, 'plain.jpg')), fileName: 'cat.jpg' },
  ])
  const base64 = (await readFile(join(folder, 'located.jpg'))).toString('base64')
  await writeFile(join(folder, 'multipart.body'), form.bytes)
  await writeFile(join(folder, 'base64.body'), new URLSearchParams({ source: base64 }).toString())
  return { multipart: form.type, base64: 'application/x-www-form-urlencoded' }
}
