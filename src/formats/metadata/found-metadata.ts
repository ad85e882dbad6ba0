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
