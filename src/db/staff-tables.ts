/** What the administrators of a site keep. */
export interface StaffTables {
  page: {
    id: string
    urlKey: string
    title: string
    body: string
    isVisible: number
    sortOrder: number
    createdAt: string
    updatedAt: string
    /** Increases with every edit. */
    version: number
  }
  /** Logo and icon of the site; their bytes are stored under the id. */
  brandPicture: {
    slot: 'logo' | 'logo-dark' | 'icon'
    id: string
    extension: string
    mime: string
    width: number
    height: number
    sizeBytes: number
    /** Hexadecimal; names the picture in its address. */
    sha256: string
    createdAt: string
  }
  /** A named set of options for derived pictures; see `media/transforms/presets.ts`. */
  preset: {
    name: string
    /** A JSON object with the options in the names of addresses. */
    options: string
    createdAt: string
    updatedAt: string
    /** Increases with every edit, and is never used again for a preset of this name. */
    version: number
  }
  /** What visitors and users report of files; see `media/reports/`. */
  fileReport: {
    id: string
    fileId: string
    /** Null for a guest. No foreign key: the row outlives the user. */
    userId: string | null
    /** The network that the report came from. */
    address: string
    /** Of the stored bytes that were reported; once the file is kept, of those that were judged. */
    md5: string
    reason: string
    text: string
    createdAt: string
    /** When the staff has decided that the file stays; null as long as the report is open. */
    keptAt: string | null
  }
}
