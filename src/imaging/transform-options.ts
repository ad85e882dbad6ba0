import type { presetWords } from '../common/preset-rules.ts'
import type { DerivedFormat } from './kinds/kind.ts'

/** How a picture is fitted into a box. Nothing is ever enlarged. */
export type Fit = 'scale-down' | 'cover' | 'pad'

export type Position = (typeof presetWords.position)[number]

/** What to make of a picture: every option, with its default in place. */
export interface TransformOptions {
  /** In pixels of the output. With one side only, every fit is `scale-down`; without any, the size stays. */
  width?: number | undefined
  height?: number | undefined
  fit: Fit
  /** Which part `cover` keeps, and where `pad` puts the picture. */
  position: Position
  /** Six hexadecimal digits or `transparent`; without it, empty ground is white and transparency stays where the format has it. */
  background?: string | undefined
  format: DerivedFormat
  /** Without effect in PNG. */
  quality: number
  /** All frames of an animation, in WebP only; otherwise its first frame. */
  isAnimated: boolean
}
