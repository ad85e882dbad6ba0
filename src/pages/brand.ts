import { contrast, lightnessOf, mix, type Rgb, withLightness } from '../lib/colours.ts'

/** The grounds of `web/styles/tokens.css`, the paper first. */
export const backgrounds = {
  light: [
    [0xf6, 0xf4, 0xee],
    [0xff, 0xff, 0xff],
    [0xeb, 0xe8, 0xdf],
  ],
  dark: [
    [0x13, 0x15, 0x12],
    [0x1c, 0x1f, 0x1b],
    [0x0c, 0x0d, 0x0b],
  ],
} as const satisfies Record<string, readonly [Rgb, Rgb, Rgb]>

export type Theme = keyof typeof backgrounds

/** WCAG 2.2, AA: the contrast of text. */
export const leastContrast = 4.5

const tintShares = { light: 0.14, dark: 0.2 } as const
const step = 0.005
const [black, white]: [Rgb, Rgb] = [
  [0, 0, 0],
  [255, 255, 255],
]

export interface BrandColours {
  accent: Rgb
  /** Text on the accent. */
  onAccent: Rgb
  /** A ground with a little of the accent. */
  soft: Rgb
}

/** The accent in a theme: its hue stays, its lightness moves until text in it can be read on every ground. */
export function brandColours(chosen: Rgb, theme: Theme): BrandColours {
  const [direction, last] = theme === 'light' ? [-step, 0] : [step, 1]
  let lightness = lightnessOf(chosen)
  let accent = chosen
  while (!isReadable(accent, theme) && lightness !== last) {
    lightness = Math.min(Math.max(lightness + direction, 0), 1)
    accent = withLightness(chosen, lightness)
  }
  const onAccent = contrast(accent, white) >= contrast(accent, black) ? white : black
  return { accent, onAccent, soft: softOf(accent, theme) }
}

const softOf = (accent: Rgb, theme: Theme): Rgb => mix(accent, backgrounds[theme][0], tintShares[theme])

const isReadable = (accent: Rgb, theme: Theme): boolean =>
  [...backgrounds[theme], softOf(accent, theme)].every(
    (background) => contrast(accent, background) >= leastContrast,
  )
