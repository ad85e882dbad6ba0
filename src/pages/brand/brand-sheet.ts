import { createHash } from 'node:crypto'
import { parseHex, type Rgb, writeHex } from '../../lib/colours.ts'
import { brandColours } from '../brand.ts'

/** The name has the accent and the hash of the text, so that every server answers it without a row, for good. */
interface BrandSheet {
  path: string
  text: string
}

const known = new Map<string, BrandSheet>()
const mostKnown = 1_000

/** The stylesheet of an accent `#rrggbb`; undefined for another text. */
export function brandSheet(accent: string): BrandSheet | undefined {
  const colour = parseHex(accent)
  if (!colour) return undefined
  const name = writeHex(colour)
  const sheet = known.get(name) ?? writeSheet(colour)
  // Any caller may ask for any colour.
  if (known.size >= mostKnown) known.clear()
  known.set(name, sheet)
  return sheet
}

function writeSheet(colour: Rgb): BrandSheet {
  const [light, dark] = [brandColours(colour, 'light'), brandColours(colour, 'dark')]
  const both = (part: keyof typeof light) => `light-dark(${writeHex(light[part])}, ${writeHex(dark[part])})`
  const text = `:root {
  --accent: ${both('accent')};
  --on-accent: ${both('onAccent')};
  --accent-soft: ${both('soft')};
}
`
  const hash = createHash('sha256').update(text).digest('hex').slice(0, 12)
  return { path: `/-/brand-${writeHex(colour).slice(1)}-${hash}.css`, text }
}
