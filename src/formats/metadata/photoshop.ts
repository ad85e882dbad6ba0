import { createHash } from 'node:crypto'
import type { NestedCleaners } from './found-metadata.ts'
import { withoutIptcLocation } from './iptc.ts'
import { withoutTextLocation } from './location/texts.ts'

const IPTC = 0x0404
const IPTC_DIGEST = 0x0425
/** Exif, XMP and thumbnails: a location in them is removed by their structure. */
const STRUCTURED = new Set([0x0409, 0x040c, 0x0422, 0x0423, 0x0424])
/** Photoshop's own, and those of other programs in the same form. */
const SIGNATURE = /^(?:8BIM|AgHg|DCSR|MeSa|PHUT)$/

interface PhotoshopResource {
  id: number
  nameAt: number
  start: number
  end: number
}

/** The resources of a Photoshop block, up to the first malformed one, which begins at `tailAt`. */
function resourcesOf(block: Buffer): { resources: PhotoshopResource[]; tailAt: number } {
  const resources: PhotoshopResource[] = []
  let at = 0
  while (at + 12 <= block.length && SIGNATURE.test(block.toString('latin1', at, at + 4))) {
    const nameBytes = 1 + block.readUInt8(at + 6)
    const sizeAt = at + 6 + nameBytes + (nameBytes % 2)
    if (sizeAt + 4 > block.length) break
    const length = block.readUInt32BE(sizeAt)
    const start = sizeAt + 4
    if (start + length > block.length) break
    resources.push({ id: block.readUInt16BE(at + 4), nameAt: at + 7, start, end: start + length })
    at = start + length + (length % 2)
  }
  return { resources, tailAt: Math.min(at, block.length) }
}

/** True if the block ends with a whole resource, so that no other segment continues it. */
export const isWholePhotoshop = (block: Buffer): boolean => resourcesOf(block).tailAt === block.length

export function iptcOfPhotoshop(block: Buffer): Buffer | undefined {
  const iptc = resourcesOf(block).resources.find(({ id }) => id === IPTC)
  return iptc && block.subarray(iptc.start, iptc.end)
}

/** A copy of the block without the location in its resources, of equal length; undefined if it has none. */
export function withoutPhotoshopLocation(block: Buffer, inside: NestedCleaners): Buffer | undefined {
  const { resources, tailAt } = resourcesOf(block)
  const cleaned = Buffer.from(block)
  for (const { id, nameAt, start, end } of resources) {
    const resource = block.subarray(start, end)
    withoutTextLocation(block.subarray(nameAt, start - 4))?.copy(cleaned, nameAt)
    if (id === IPTC) withoutIptcLocation(resource)?.copy(cleaned, start)
    else if (STRUCTURED.has(id)) inside.nested(resource)?.copy(cleaned, start)
    else inside.unknown(resource)?.copy(cleaned, start)
  }
  inside.unknown(block.subarray(tailAt))?.copy(cleaned, tailAt)
  if (cleaned.equals(block)) return undefined
  for (const { id, start, end } of resources) {
    const isCurrent =
      id === IPTC_DIGEST && end - start === 16 && block.subarray(start, end).equals(digestOf(block))
    if (isCurrent) digestOf(cleaned).copy(cleaned, start)
  }
  return cleaned
}

/** Programs compare it with the IPTC records to see which program changed them last. */
function digestOf(block: Buffer): Buffer {
  return createHash('md5')
    .update(iptcOfPhotoshop(block) ?? Buffer.alloc(0))
    .digest()
}
