import { writeFileSync } from 'node:fs'
import type { Sharp } from 'sharp'
import type { EncodedKindName } from '../kinds/kind.ts'

const QUALITY = { variant: 85, file: 90 } as const

const ENCODERS: Record<EncodedKindName, (picture: Sharp, quality: number) => Sharp> = {
  jpeg: (picture, quality) => picture.jpeg({ quality }),
  png: (picture) => picture.png(),
  gif: (picture) => picture.gif(),
  webp: (picture, quality) => picture.webp({ quality }),
}

export interface Encoded {
  width: number
  height: number
  data: Buffer
}

/** Runs a pipeline and encodes its result. */
export async function encode(
  picture: Sharp,
  format: EncodedKindName,
  use: keyof typeof QUALITY,
): Promise<Encoded> {
  const encoder = ENCODERS[format](picture, QUALITY[use])
  const { data, info } = await encoder.toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.height }
}

/** Written by us and not by libvips, so that a full disk is reported as a system error and not as a broken picture. */
export function writeEncoded(path: string, { data }: Encoded): void {
  writeFileSync(path, data, { flag: 'wx', mode: 0o640 })
}
