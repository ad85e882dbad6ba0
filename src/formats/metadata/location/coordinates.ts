import type { LocationName } from './names.ts'

/** Patterns of geographic coordinates in text. The signs for degrees, minutes and seconds may be UTF-8 bytes or characters. */

const DEGREE = String.raw`(?:\xc2?[\xb0\xba]|\s?deg\.?)`
const MINUTE = String.raw`(?:'|\xe2\x80[\xb2\x99]|[\u2032\u2019]|\s?min\b)`
const SECOND = String.raw`(?:"|''|\xe2\x80[\xb3\x9d]|[\u2033\u201d]|\s?sec\b)`
const NUMBER = String.raw`[+-]?\d{1,3}(?:\.\d{1,20})?`
const COMMA = '(?:[,;]|%2C)'
/** Four decimals are eleven metres; numbers with fewer decimals are common in tables of all sorts. */
const FINE = String.raw`[+-]?\d{1,3}\.\d{4,20}`

/** Recognised anywhere in a text. */
const IN_TEXT: readonly RegExp[] = [
  // 51° 30' 26.5" N, 51°30.44'N, 51.507°N
  new RegExp(
    String.raw`(?<![\d.])(?:[NSEW]\s?)?${NUMBER}\s?${DEGREE}\s?(?:\d{1,2}(?:\.\d{1,20})?\s?${MINUTE}\s?(?:\d{1,2}(?:\.\d{1,20})?\s?${SECOND}\s?)?(?:[NSEW]\b)?|[NSEW]\b)`,
    'g',
  ),
  // 51,30.538N and 51,30,32.3N, as Exif in XMP has them
  /(?<![\d.,])\d{1,3},\d{1,2}(?:\.\d{1,20}|,\d{1,2}(?:\.\d{1,20})?)?\s?[NSEW]\b/g,
  // 51 30 26.5 N
  /(?<![\d.,])\d{1,3}\s\d{1,2}\s\d{1,2}(?:\.\d{1,20})?\s?[NSEW]\b/g,
  // 51.5074 N and N 51.5074
  new RegExp(String.raw`(?<![\d.])${FINE}\s?[NSEW]\b|\b[NSEW]\s?${FINE}`, 'g'),
  // 51.5 N, 0.12 W; never without a space or comma, as in base64
  new RegExp(
    String.raw`(?<![\w.+/])\d{1,3}(?:\.\d{1,20})?\s?[NS](?:\s?${COMMA}\s?|\s)\d{1,3}(?:\.\d{1,20})?\s?[EW](?![\w+/])`,
    'g',
  ),
  // ISO 6709: +51.5074-000.1278/
  /(?<![\w.])[+-]\d{2,6}\.\d{1,20}[+-]\d{3,7}\.\d{1,20}(?:[+-]\d{1,6}(?:\.\d{1,20})?)?(?:CRS\w{1,40})?\/?/g,
  /(?<![\w.])[+-]\d{2,6}[+-]\d{3,7}(?:[+-]\d{1,6}(?:\.\d{1,20})?)?(?:CRS\w{1,40})?\//g,
  // geo:51.5,-0.12 and POINT(-0.12 51.5)
  new RegExp(String.raw`\bgeo:${NUMBER},${NUMBER}(?:,[+-]?\d{1,5}(?:\.\d{1,20})?)?`, 'gi'),
  /\b(?:POINT|LINESTRING|POLYGON|MULTIPOINT|MULTIPOLYGON)\s?Z?\s?\([-+\d.,()\s]{3,}\)/g,
  // lat=51.5, "longitude": -0.12, geo:lat=51.5
  new RegExp(
    String.raw`(?<![a-z])(?:geo:)?(?:gps[a-z_]{0,12}|lat(?:itude)?|lon(?:g(?:t?itude)?)?|lng)["']?\s?[:=]\s?["']?${NUMBER}`,
    'gi',
  ),
]

/** Two numbers of four decimals, not part of a longer list of numbers. */
const FINE_PAIR = new RegExp(
  String.raw`(?<![\d.+-])(?<!\d\s?[,;]\s?)(${FINE})\s?${COMMA}\s?(${FINE})(?![\d.])(?!\s?[,;]\s?[+-]?\d{1,9}\.\d{4})`,
  'g',
)

/** The whole text is two numbers. Three numbers may as well be red, green and blue, so they count only under a name of a location. */
const PAIR_ALONE = new RegExp(String.raw`^(${NUMBER})(?:\s*[,;/|]\s*|\s+)(${NUMBER})$`)
const ALTITUDE = /(?:\s*[,;/|]\s*|\s+)[+-]?\d{1,5}(?:\.\d{1,20})?$/

const DEGREES_ALONE = new RegExp(
  String.raw`^(?:[NSEW]|(?:[NSEW]\s?)?[+-]?\d{1,5}(?:[.,]\d{1,20})?\s?${DEGREE}?\s?[NSEW]?|\d{1,12}/\d{1,12})$`,
)

export interface Span {
  start: number
  end: number
}

/** The spans of a text that are coordinates. */
export function coordinatesIn(text: string): Span[] {
  // A shortcut: most texts have no digit.
  if (!/\d/.test(text)) return []
  const spans = IN_TEXT.flatMap((pattern) =>
    [...text.matchAll(pattern)].map(({ 0: found, index }) => ({ start: index, end: index + found.length })),
  )
  for (const { 0: found, 1: one = '', 2: other = '', index } of text.matchAll(FINE_PAIR)) {
    if (areDegrees(one, other)) spans.push({ start: index, end: index + found.length })
  }
  return spans
}

/** True if the whole text is coordinates, apart from spaces and punctuation. */
export function isCoordinate(text: string): boolean {
  const trimmed = text.trim()
  if (trimmed === '' || trimmed.length > 400 || !/\d/.test(trimmed)) return false
  const pair = PAIR_ALONE.exec(trimmed)
  if (pair !== null && areFine(pair[1], pair[2]) && areDegrees(pair[1], pair[2])) return true
  let rest = trimmed
  for (const { start, end } of coordinatesIn(trimmed)) {
    rest = rest.slice(0, start) + ' '.repeat(end - start) + rest.slice(end)
  }
  return rest !== trimmed && !/[\p{L}\d]/u.test(rest)
}

/** True if a property is a location, judged by its name and value. */
export function confirmsName(name: LocationName, value: string): boolean {
  const trimmed = value.trim()
  if (name === 'yes') return true
  if (name === 'no' || trimmed.length > 400) return false
  if (isPair(trimmed) || isCoordinate(trimmed)) return true
  const isDegrees = DEGREES_ALONE.test(trimmed)
  return (name === 'number' && isDegrees) || (name === 'fine-number' && isDegrees && /\.\d{3}/.test(trimmed))
}

/** Two numbers of any precision, perhaps with an altitude. Used only under a name of a location. */
function isPair(text: string): boolean {
  const pair = PAIR_ALONE.exec(text) ?? PAIR_ALONE.exec(text.replace(ALTITUDE, ''))
  return pair !== null && /\d\.\d/.test(text) && areDegrees(pair[1], pair[2])
}

/** Three decimals are a hundred metres. */
const areFine = (one = '', other = '') => /\.\d{3}/.test(one) && /\.\d{3}/.test(other)

/** In the range of latitude and longitude, and not both at most 1: those are fractions of a picture's size, or colours. */
function areDegrees(one = '', other = ''): boolean {
  const [first, second] = [Math.abs(Number(one)), Math.abs(Number(other))]
  const isInRange = Math.min(first, second) <= 90 && Math.max(first, second) <= 180
  return isInRange && Math.max(first, second) > 1
}
