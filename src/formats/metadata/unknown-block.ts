import { withoutXmpLocation } from './xmp/strip-xmp.ts'

/** Field names of locations in vendors' formats; long enough to be rare in compressed bytes by chance. */
const NAMES_LOCATION = /GPS[A-Z\d_]|[Gg]ps[A-Z_][A-Za-z]|[Ll]atitude|[Ll]ong(?:t?)itude|LATITUDE|LONGITUDE/

/**
 * A copy of a block of unknown format without its location, of equal length: XMP in it is cleaned, any other block that mentions
 * a location is blanked. Undefined if it mentions none.
 */
export function withoutUnknownLocation(block: Buffer): Buffer | undefined {
  const text = block.toString('latin1')
  const xmpAt = /<(?:x:x[am]pmeta|rdf:RDF|\?xpacket)/.exec(text)?.index
  if (xmpAt !== undefined) {
    const cleaned = withoutXmpLocation(block.subarray(xmpAt))
    return cleaned && Buffer.concat([block.subarray(0, xmpAt), cleaned])
  }
  return NAMES_LOCATION.test(text) ? Buffer.alloc(block.length) : undefined
}
