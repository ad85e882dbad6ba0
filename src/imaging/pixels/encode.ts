import { writeFileSync } from 'node:fs'
import type { Sharp } from 'sharp'
import { notDecodable } from '../errors.ts'
import type { PictureKindName } from '../kinds/kind.ts'

const QUALITY = { variant: 85, file: 90 } as const

export interface Encoded {
  width: number
  height: number
  data: Buffer
}

/** Writes the end of a pipeline in a format; the file that people keep gets more care than a preview. */
export async function encode(
  picture: Sharp,
  format: PictureKindName,
  use: keyof typeof QUALITY,
  isLossless = false,
): Promise<Encoded> {
  const { data, info } = await asFormat(picture, format, QUALITY[use], isLossless).toBuffer({
    resolveWithObject: true,
  })
  return { data, width: info.width, height: info.height }
}

function asFormat(picture: Sharp, format: PictureKindName, quality: number, isLossless: boolean): Sharp {
  switch (format) {
    case 'jpeg':
      return picture.jpeg({ quality })
    case 'png':
      return picture.png()
    case 'webp':
      return picture.webp({ quality, lossless: isLossless })
    case 'gif':
      return picture.gif()
    default:
      throw notDecodable(`nothing here writes ${format}`)
  }
}

/** Written by ourselves and not by the encoder, so that a full disk is told from a broken picture. */
export function writeEncoded(path: string, { data }: Encoded): void {
  writeFileSync(path, data, { flag: 'wx', mode: 0o640 })
}
