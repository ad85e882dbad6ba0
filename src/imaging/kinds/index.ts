import { avif } from './avif.ts'
import { bmp } from './bmp.ts'
import { gif } from './gif.ts'
import { heic } from './heic.ts'
import { jpeg } from './jpeg.ts'
import type { Kind } from './kind.ts'
import { png } from './png.ts'
import { svg } from './svg.ts'
import { tiff } from './tiff.ts'
import { webp } from './webp.ts'

/** Every kind of picture, in the order in which a file is compared with them. */
export const kinds: readonly Kind[] = [jpeg, png, gif, webp, avif, heic, tiff, bmp, svg]
