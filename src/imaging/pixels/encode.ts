import { writeFileSync } from 'node:fs'
import type { Sharp } from 'sharp'
import type { DerivedFormat, EncodedKindName } from '../kinds/kind.ts'

type Encoders = Record<EncodedKindName | DerivedFormat, (picture: Sharp, quality: number) => Sharp>

const ENCODERS: Encoders = {
  jpeg: (picture, quality) => picture.jpeg({ quality }),
  png: (picture) => picture.png(),
  gif: (picture) => picture.gif(),
  webp: (picture, quality) => picture.webp({ quality }),
  avif: (picture, quality) => picture.avif({ quality }),
}

interface Encoded {
  width: number
  /** Of one frame. */
  height: number
  data: Buffer
}

/** Runs a pipeline and encodes its result. */
export async function encode(picture: Sharp, format: keyof Encoders, quality: number): Promise<Encoded> {
  const { data, info } = await ENCODERS[format](picture, quality).toBuffer({ resolveWithObject: true })
  return { data, width: info.width, height: info.pageHeight ?? info.height }
}

/** Written by us and not by libvips, so that a full disk is reported as a system error and not as a broken picture. */
export function writeEncoded(path: string, { data }: Encoded): void {
  writeFileSync(path, data, { flag: 'wx', mode: 0o640 })
}
