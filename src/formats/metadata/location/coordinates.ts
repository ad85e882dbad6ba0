import type { LocationName } from './names.ts'

/**
 * Patterns of geographic coordinates in text. Text is read as characters or as the bytes of UTF-8, one character for each byte,
 * so signs have both forms. All repetitions are bounded: the texts come from strangers.
 */

const SPACE = String.raw`\s{0,3}`
/** The last two are the degree sign in the old character sets of the Mac and of DOS. */
const DEGREE = String.raw`(?:\xc2?[\xb0\xba]|[\xa1\xf8]|&deg;|&#176;|\s?deg(?:rees?|\.)?)`
const MINUTE = String.raw`(?:'|\xe2\x80[\xb2\x99]|[\u2032\u2019\xb4]|\s?min(?:utes?)?\b)`
const SECOND = String.raw`(?:"|''|\xe2\x80[\xb3\x9d]|[\u2033\u201d]|\s?sec(?:onds?)?\b)`
const DECIMALS = String.raw`[.,]\d{1,20}`
const NUMBER = String.raw`[+-]?\d{1,3}(?:\.\d{1,20})?`
const COMMA = '(?:[,;]|%2C)'
/** Four decimals are eleven metres; numbers with fewer decimals are common in tables of all sorts. */
const FINE = String.raw`[+-]?\d{1,3}\.\d{4,20}`
const WORD_OF_SKY = String.raw`[Nn]orth|[Ss]outh|[Ee]ast|[Ww]est|[Nn]ord|[Ss](?:\xc3?\xbc|\xfc|u)d|[Oo]st|[Nn]orte|[Ss]ur|[Ee]ste|[Oo]este`
const SIDE = String.raw`(?:[NSEW]|${WORD_OF_SKY})(?!\w|-[a-z])`
const LABEL = '(?:geo:)?(?:gps[a-z_]{0,20}|lat(?:itude?)?|lon(?:g(?:t?itude?)?)?|lng)'

/** Recognised anywhere in a text. */
const IN_TEXT: readonly RegExp[] = [
  // 51° 30' 26.5" N, 51°30.44'N, 51.507°N, 51 degrees 30 minutes north
  new RegExp(
    String.raw`(?<![\d.])(?:[NSEW]\s?)?[+-]?\d{1,3}(?:${DECIMALS})?\s?${DEGREE}${SPACE}(?:\d{1,2}(?:${DECIMALS})?\s?${MINUTE}${SPACE}(?:\d{1,2}(?:${DECIMALS})?\s?${SECOND}${SPACE})?(?:${SIDE})?|${SIDE})`,
    'g',
  ),
  // N 51.5°; 51.5074°; 51.5°, -0.12°
  new RegExp(
    String.raw`\b[NSEW]\s?\d{1,3}(?:${DECIMALS})?\s?${DEGREE}|(?<![\d.])${FINE}\s?${DEGREE}(?![CFK])|(?<![\d.])[+-]?\d{1,3}\.\d{1,20}${DEGREE}\s?${COMMA}?\s?[+-]?\d{1,3}\.\d{1,20}${DEGREE}(?![CFK])`,
    'g',
  ),
  // 51,30.538N and 51,30,32.3N, as Exif in XMP has them
  /(?<![\d.,])\d{1,3},\d{1,2}(?:\.\d{1,20}|,\d{1,2}(?:\.\d{1,20})?)\s?[NSEW]\b/g,
  // 51 30 26.5 N, 51:30:26.5 N, 51 30.444 N
  /(?<![\d.,:])\d{1,3}(?:\s\d{1,2}\s\d{1,2}(?:\.\d{1,20})?|:\d{1,2}:\d{1,2}\.\d{1,20}|[\s:]\d{1,2}\.\d{3,20})\s?[NSEW]\b/g,
  // N 51 30 26.5, N51:30:26.5, N51 30.444
  /\b[NSEW]\s?\d{1,3}(?:[\s:]\d{1,2}[\s:]\d{1,2}\.\d{1,20}|[\s:-]\d{1,2}\.\d{3,20})/g,
  // N51 30 26 W000 07 40
  /\b[NS]\s?\d{1,2}[\s:]\d{1,2}(?:[\s:]\d{1,2})?[\s,;/]{1,3}[EW]\s?\d{1,3}[\s:]\d{1,2}(?:[\s:]\d{1,2})?\b/g,
  // 51.5074 N and N 51.5074
  new RegExp(
    String.raw`(?<![\d.])[+-]?\d{1,3}[.,]\d{4,20}\s?${SIDE}|\b(?:[NSEW]|${WORD_OF_SKY})\s?[+-]?\d{1,3}[.,]\d{4,20}`,
    'g',
  ),
  // 51.5 N, 0.12 W; never without a space or comma, as in base64
  new RegExp(
    String.raw`(?<![\w.+/])\d{1,3}(?:${DECIMALS})?\s?[NS](?:\s?${COMMA}\s?|\s)\d{1,3}(?:${DECIMALS})?\s?[EW](?![\w+/])`,
    'g',
  ),
  // N 51.5, W 0.12
  /\b[NS]\s?\d{1,2}\.\d{1,20}[\s,;/]{1,3}[EW]\s?\d{1,3}\.\d{1,20}/g,
  // ISO 6709: +51.5074-000.1278/
  /(?<![\w.])[+-]\d{2,6}\.\d{1,20}[+-]\d{3,7}\.\d{1,20}(?:[+-]\d{1,6}(?:\.\d{1,20})?)?(?:CRS\w{1,40})?\/?/g,
  /(?<![\w.])[+-](?:\d\d[+-]\d{3}|\d{4}[+-]\d{5}|\d{6}[+-]\d{7})(?:[+-]\d{1,6}(?:\.\d{1,20})?)?(?:CRS\w{1,40})?\//g,
  // geo:51.5,-0.12 and POINT(-0.12 51.5)
  new RegExp(String.raw`\bgeo:${NUMBER},${NUMBER}(?:,[+-]?\d{1,5}(?:\.\d{1,20})?)?`, 'gi'),
  /\b(?:POINT|LINESTRING|POLYGON|MULTIPOINT|MULTIPOLYGON)\s?Z?\s?\([-+\d.,()\s]{3,}\)/g,
  // lat=51.5, "longitude": -0.12, geo:lat=51.5, GPSLatitude: 51 30 26.5, Lat 51.507
  new RegExp(
    String.raw`(?<![a-z])${LABEL}(?<!gps)["'\])]{0,2}${SPACE}[:=>]${SPACE}["'(\[]{0,2}${NUMBER}(?:[\s/]\d{1,9}(?:\.\d{1,20})?){0,5}|(?<![a-z])${LABEL}[\s:=]{1,3}[+-]?\d{1,3}[.,]\d{3,20}`,
    'gi',
  ),
  // $GPGGA,123519,4807.038,N,01131.000,E; 5130.444N 00007.668W
  /(?<![\d.])\d{3,4}\.\d{1,20}[\s,]?[NS][\s,;/]{0,3}\d{4,5}\.\d{1,20}[\s,]?[EW]\b/g,
  // UTM: 30U 699375 5710154; MGRS: 30U XC 99375 10154
  /\b\d{1,2}\s?[C-HJ-NP-X]\s\d{6}(?:\.\d{1,9})?\s?m?E?[\s,]{1,2}\d{6,7}(?:\.\d{1,9})?\s?m?N?\b/g,
  /\b\d{1,2}[C-HJ-NP-X]\s[A-HJ-NP-Z]{2}\s\d{4,5}\s\d{4,5}\b/g,
  // Plus codes and what3words
  /(?<![\w+/])[23456789CFGHJMPQRVWX]{8}\+[23456789CFGHJMPQRVWX]{2,3}(?![\w+/])/g,
  /(?<![:\w/])\/\/\/[\p{L}\x80-\xff]{3,30}\.[\p{L}\x80-\xff]{3,30}\.[\p{L}\x80-\xff]{3,30}/gu,
]

/** A number of three decimals, and the places of nodes in the graphs that picture generators store. */
const PART = String.raw`[+-]?\d{1,3}\.\d{3,20}`
const IN_GRAPH = String.raw`"(?:pos|size|offset|scale|bounding)"\s?:\s?\[\s{0,20}`

/** Two such numbers, not part of a longer list; a third number may be a round altitude. */
const FINE_PAIR = new RegExp(
  String.raw`(?<![\d.+-])(?<!\d\.\d{1,20}\s?[,;\s]\s?)(?<!${IN_GRAPH})(${PART})(?:\s?${COMMA}${SPACE}|\s{1,3}|\s?[/|]\s?)(${PART})(?![\d.])(?!\s?[,;\s]\s?[+-]?(?!\d{1,5}\.0{4,20}(?!\d))\d{1,9}\.\d{4})`,
  'g',
)
/** The same with decimal commas, as in 51,5074; -0,1278 */
const COMMA_PAIR =
  /(?<![\d.,+-])([+-]?\d{1,3},\d{4,20})(?:\s?[;/|]\s{0,3}|,?\s{1,3})([+-]?\d{1,3},\d{4,20})(?![\d.,])/g

/** The whole text is two numbers. Three numbers may as well be red, green and blue, so they count only under a name of a location. */
const PAIR_ALONE = new RegExp(String.raw`^(${NUMBER})(?:\s*[,;/|]\s*|\s+)(${NUMBER})$`)
const ALTITUDE = /(?:\s*[,;/|]\s*|\s+)[+-]?\d{1,5}(?:\.\d{1,20})?$/

const DEGREES_ALONE = new RegExp(
  String.raw`^(?:[NSEW]|(?:[NSEW]\s?)?[+-]?\d{1,5}(?:[.,]\d{1,20})?\s?${DEGREE}?\s?[NSEW]?|\d{1,12}/\d{1,12})$`,
)

/** Beside coordinates, such a number is one of them too. */
const NUMBER_BESIDE = /[+-]?\d{1,7}[.,]\d{3,20}/g
const BESIDE_CHARACTERS = 40

export interface Span {
  start: number
  end: number
}

/** The spans of a text that are coordinates. They may overlap. */
export function coordinatesIn(text: string): Span[] {
  // A shortcut: most texts have no digit.
  if (!/\d|\/\/\//.test(text)) return []
  const plain = withPlainSigns(text)
  const spans = IN_TEXT.flatMap((pattern) => [...plain.matchAll(pattern)].map(spanOf))
  for (const match of plain.matchAll(FINE_PAIR)) {
    const [, one = '', other = ''] = match
    const isCertain = [one, other].every((part) => /\.\d{4}/.test(part)) || /[+-]/.test(one + other)
    if (isCertain && areDegrees(one, other)) spans.push(spanOf(match))
  }
  for (const match of plain.matchAll(COMMA_PAIR)) {
    if (areDegrees(match[1]?.replace(',', '.'), match[2]?.replace(',', '.'))) spans.push(spanOf(match))
  }
  return spans.length === 0 ? spans : [...spans, ...numbersBeside(plain, spans)]
}

const spanOf = ({ 0: found, index }: RegExpExecArray): Span => ({ start: index, end: index + found.length })

/** The minus sign and the spaces of typography, as characters or as the bytes of UTF-8. The length is kept. */
function withPlainSigns(text: string): string {
  return text.replace(/\u2212|\xe2\x88\x92|\xc2\xa0|\xe2\x80[\x80-\x8a\xaf]/g, (sign) =>
    /[\u2212\x92]$/.test(sign) ? '-'.padStart(sign.length) : ' '.repeat(sign.length),
  )
}

function numbersBeside(text: string, spans: readonly Span[]): Span[] {
  return spans.flatMap(({ start, end }) => {
    const from = Math.max(0, start - BESIDE_CHARACTERS)
    const near = text.slice(from, end + BESIDE_CHARACTERS)
    return [...near.matchAll(NUMBER_BESIDE)].map(spanOf).map((span) => ({
      start: from + span.start,
      end: from + span.end,
    }))
  })
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
