import type { Bytes } from '../containers/bytes.ts'
import type { Edit } from '../containers/edits.ts'

/**
 * Clean what is nested in a block, such as the thumbnail in Exif and the Exif in that thumbnail. A copy has the length of the
 * block; undefined means that there is nothing to remove.
 */
export interface NestedCleaners {
  /** Exif, XMP, JPEG and texts in a block of which the rest is of use. */
  nested(block: Buffer): Buffer | undefined
  /** The same, and the whole block if it mentions a location. */
  unknown(block: Buffer): Buffer | undefined
  /** Edits that keep the length, for every JPEG in the bytes. */
  pictures(bytes: Bytes): Edit[]
}

/** What happens to the metadata inside a stored file. */
export type MetadataPolicy = 'keep' | 'strip_location' | 'strip_all'

/** The metadata blocks of a file, without the format's own wrapping. */
export interface FoundMetadata {
  /** A TIFF structure, as Exif prescribes. */
  exif?: Buffer | undefined
  xmp?: Buffer | undefined
  /** IPTC-IIM records. */
  iptc?: Buffer | undefined
}
