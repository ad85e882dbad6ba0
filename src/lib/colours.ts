/** Red, green and blue from 0 to 255. */
export type Rgb = readonly [number, number, number]

/** Lightness 0 to 1, chroma, and hue in radians: https://bottosson.github.io/posts/oklab/ */
interface Oklch {
  lightness: number
  chroma: number
  hue: number
}

/** Undefined unless the text is `#rrggbb`. */
export function parseHex(text: string): Rgb | undefined {
  const [, red, green, blue] = /^#([\da-f]{2})([\da-f]{2})([\da-f]{2})$/i.exec(text) ?? []
  if (red === undefined || green === undefined || blue === undefined) return undefined
  return [Number.parseInt(red, 16), Number.parseInt(green, 16), Number.parseInt(blue, 16)]
}

export const writeHex = (colour: Rgb): string =>
  `#${colour.map((part) => part.toString(16).padStart(2, '0')).join('')}`

/** `share` of the first colour over the second. */
export const mix = (first: Rgb, second: Rgb, share: number): Rgb =>
  mapRgb((index) => Math.round(at(first, index) * share + at(second, index) * (1 - share)))

/** The contrast of WCAG 2, from 1 to 21. */
export function contrast(first: Rgb, second: Rgb): number {
  const [dark = 0, light = 0] = [luminance(first), luminance(second)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

function luminance(colour: Rgb): number {
  const [red, green, blue] = mapRgb((index) => linear(at(colour, index) / 255))
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

/** The colour with another lightness and its own hue; the chroma becomes as small as sRGB asks for. */
export function withLightness(colour: Rgb, lightness: number): Rgb {
  const { chroma, hue } = toOklch(colour)
  let [least, most] = [0, chroma]
  if (isInGamut({ lightness, chroma, hue })) return toRgb({ lightness, chroma, hue })
  for (let step = 0; step < 24; step += 1) {
    const middle = (least + most) / 2
    if (isInGamut({ lightness, chroma: middle, hue })) least = middle
    else most = middle
  }
  return toRgb({ lightness, chroma: least, hue })
}

export const lightnessOf = (colour: Rgb): number => toOklch(colour).lightness

export const hueOf = (colour: Rgb): number => toOklch(colour).hue

function toOklch(colour: Rgb): Oklch {
  const [red, green, blue] = mapRgb((index) => linear(at(colour, index) / 255))
  const l = Math.cbrt(0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue)
  const m = Math.cbrt(0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue)
  const s = Math.cbrt(0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue)
  const a = 1.9779984951 * l - 2.428592205 * m + 0.4505937099 * s
  const b = 0.0259040371 * l + 0.7827717662 * m - 0.808675766 * s
  const lightness = 0.2104542553 * l + 0.793617785 * m - 0.0040720468 * s
  return { lightness, chroma: Math.hypot(a, b), hue: Math.atan2(b, a) }
}

function toLinear({ lightness, chroma, hue }: Oklch): Rgb {
  const [a, b] = [chroma * Math.cos(hue), chroma * Math.sin(hue)]
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ]
}

const isInGamut = (colour: Oklch): boolean =>
  toLinear(colour).every((part) => part >= -0.0001 && part <= 1.0001)

function toRgb(colour: Oklch): Rgb {
  const parts = toLinear(colour)
  return mapRgb((index) => Math.round(gamma(Math.min(Math.max(at(parts, index), 0), 1)) * 255))
}

const linear = (part: number): number => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
const gamma = (part: number): number => (part <= 0.0031308 ? part * 12.92 : 1.055 * part ** (1 / 2.4) - 0.055)

const mapRgb = (write: (index: 0 | 1 | 2) => number): Rgb => [write(0), write(1), write(2)]
const at = (colour: Rgb, index: 0 | 1 | 2): number => colour[index]
