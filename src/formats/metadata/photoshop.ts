import { withoutExifLocation } from './exif/exif.ts'
import { withoutXmpLocation } from './xmp/strip-xmp.ts'

const IPTC = 0x0404
const EXIF = [0x0422, 0x0423]
const XMP = 0x0424

interface PhotoshopResource {
  id: number
  start: number
  end: number
}

/** The resources of a Photoshop block, up to the first malformed one. */
function resourcesOf(block: Buffer): PhotoshopResource[] {
  const resources: PhotoshopResource[] = []
  for (let at = 0; at + 12 <= block.length && block.toString('latin1', at, at + 4) === '8BIM'; ) {
    const nameBytes = 1 + block.readUInt8(at + 6)
    const sizeAt = at + 6 + nameBytes + (nameBytes % 2)
    if (sizeAt + 4 > block.length) break
    const length = block.readUInt32BE(sizeAt)
    const start = sizeAt + 4
    if (start + length > block.length) break
    resources.push({ id: block.readUInt16BE(at + 4), start, end: start + length })
    at = start + length + (length % 2)
  }
  return resources
}

export function iptcOfPhotoshop(block: Buffer): Buffer | undefined {
  const iptc = resourcesOf(block).find(({ id }) => id === IPTC)
  return iptc && block.subarray(iptc.start, iptc.end)
}

/** A copy of the block without the location in its Exif and XMP, of equal length; undefined if it has none. */
export function withoutPhotoshopLocation(block: Buffer): Buffer | undefined {
  let cleaned: Buffer | undefined
  for (const { id, start, end } of resourcesOf(block)) {
    const resource = block.subarray(start, end)
    const edited = EXIF.includes(id)
      ? withoutExifLocation(resource)
      : id === XMP
        ? withoutXmpLocation(resource)
        : undefined
    if (edited === undefined) continue
    cleaned ??= Buffer.from(block)
    edited.copy(cleaned, start)
  }
  return cleaned
}
