import type { Bytes } from '../../../formats/containers/bytes.ts'
import { itemsOf } from '../../../formats/containers/iso/items.ts'
import { referencesOf } from '../../../formats/containers/iso/references.ts'

type Repair = (file: Buffer) => void

/** A copy of the file in a form that libvips accepts; undefined if it accepts the file itself. The copy is decoded, not stored. */
export const avifForDecoder = (bytes: Bytes): Buffer | undefined =>
  repaired(bytes, [...brandRepairs(bytes), ...alphaRepairs(bytes)])

/** The same for libheif. */
export const heicForDecoder = (bytes: Bytes): Buffer | undefined =>
  repaired(bytes, [...alphaRepairs(bytes), ...cropRepairs(bytes)])

function repaired(bytes: Bytes, repairs: readonly Repair[]): Buffer | undefined {
  if (repairs.length === 0) return undefined
  const file = Buffer.from(bytes.read(0, bytes.size))
  for (const repair of repairs) repair(file)
  return file
}

/** An animation contains a still picture too, but libvips reads it only if the major brand is `avif`. */
function brandRepairs(bytes: Bytes): Repair[] {
  if (bytes.read(8, 4).toString('latin1') !== 'avis') return []
  return [(file) => file.write('avif', 8, 'latin1')]
}

/** GPAC writes a reference from the alpha item to an item that does not exist. It can only mean the primary picture. */
function alphaRepairs(bytes: Bytes): Repair[] {
  const { items, primary } = itemsOf(bytes)
  if (primary === undefined) return []
  const ids = new Set(items.map(({ id }) => id))
  return referencesOf(bytes)
    .filter(({ type, from, to }) => type === 'auxl' && !ids.has(to) && from !== primary.id)
    .map(
      ({ toAt, width }) =>
        (file) =>
          void file.writeUIntBE(primary.id, toAt, width),
    )
}

/** libheif compares the decoded size with the cropped size and refuses the picture. So `clap` is hidden from it, and `crop.ts` crops. */
function cropRepairs(bytes: Bytes): Repair[] {
  const crops = itemsOf(bytes).primary?.properties.filter(({ type }) => type === 'clap') ?? []
  // `pasp` (square pixels) is shorter than `clap` and changes nothing.
  return crops.map(({ start, dataAt }) => (file) => {
    file.write('pasp', start + 4, 'latin1')
    file.writeUInt32BE(1, dataAt)
    file.writeUInt32BE(1, dataAt + 4)
  })
}
