import { execFile } from 'node:child_process'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { heicGrid } from '../test/support/fixtures/imaging-heic.ts'
import { drawPhoto } from './photos.ts'

const side = 512
const run = promisify(execFile)

/** A photograph as phones write it: tiles in HEVC. The program ffmpeg codes them, as the frames of a video. */
export async function drawHeic(
  path: string,
  ffmpeg: string,
  [columns, rows]: readonly [number, number],
): Promise<void> {
  const [width, height] = [columns * side, rows * side]
  await drawPhoto(`${path}.jpeg`, { width, height })
  const pixels = await sharp(`${path}.jpeg`).raw().toBuffer()
  const tiles = Array.from({ length: columns * rows }, (_, index) =>
    sharp(pixels, { raw: { width, height, channels: 3 } })
      .extract({
        left: (index % columns) * side,
        top: Math.floor(index / columns) * side,
        width: side,
        height: side,
      })
      .raw()
      .toBuffer(),
  )
  await writeFile(`${path}.rgb`, Buffer.concat(await Promise.all(tiles)))
  const input = ['-f', 'rawvideo', '-pix_fmt', 'rgb24', '-s', `${side}x${side}`, '-i', `${path}.rgb`]
  const codec = ['-c:v', 'libx265', '-x265-params', 'keyint=1:log-level=none', '-crf', '24']
  await run(ffmpeg, [
    '-loglevel',
    'error',
    '-y',
    ...input,
    ...codec,
    '-pix_fmt',
    'yuv420p',
    '-tag:v',
    'hvc1',
    `${path}.mp4`,
  ])
  await writeFile(path, heicGrid(columns, rows, [], tilesOf(await readFile(`${path}.mp4`))))
  for (const end of ['rgb', 'mp4']) await rm(`${path}.${end}`)
}

/** The frames of a video that has nothing else: they follow each other. */
function tilesOf(video: Buffer) {
  const configuration = video.lastIndexOf('hvcC') - 4
  const decoder = video.subarray(configuration, configuration + video.readUInt32BE(configuration))
  const sizes = video.lastIndexOf('stsz') + 12
  const lengthOf = (index: number) => video.readUInt32BE(sizes + 4 + index * 4)
  const firstAt = video.readUInt32BE(video.lastIndexOf('stco') + 12)
  const ends = Array.from({ length: video.readUInt32BE(sizes) }, (_, index) => lengthOf(index))
  const dataOf = (index: number) => {
    const at = ends.slice(0, index).reduce((sum, each) => sum + each, firstAt)
    return video.subarray(at, at + lengthOf(index))
  }
  return { decoder, side, dataOf }
}
