import { avif } from './avif.ts'
import { bmp } from './bmp.ts'
import { gif } from './gif.ts'
import { heic } from './heic.ts'
import { jpeg } from './jpeg.ts'
import type { Kind } from './kind.ts'
import { mov } from './mov.ts'
import { mp4 } from './mp4.ts'
import { png } from './png.ts'
import { svg } from './svg.ts'
import { tiff } from './tiff.ts'
import { webm } from './webm.ts'
import { webp } from './webp.ts'

/** Every kind of file, in the order in which a file is compared with them. */
export const kinds: readonly Kind[] = [jpeg, png, gif, webp, avif, heic, mp4, mov, webm, tiff, bmp, svg]
