/** Uploads that are received in several requests; see `media/resumable/`. */
export interface UploadTables {
  resumableUpload: {
    id: string
    /** The uploader; null for a guest, and for a visitor of a share. */
    userId: string | null
    shareId: string | null
    /** Who will own its bytes; null for a guest. */
    ownerId: string | null
    /** The album that the file goes into. */
    albumId: string | null
    /** The network of the caller that created it. */
    address: string
    lengthBytes: number
    /** How many bytes are stored durably. */
    offsetBytes: number
    /** Counts towards the storage limit while the upload is open. */
    reservedBytes: number
    /** As the client sent it. */
    metadata: string
    rateLimitHitId: string | null
    state: 'open' | 'finishing' | 'done' | 'ended'
    /** Identifies the request that may raise the offset, or make the file. */
    token: string
    /** While it is in the future, a server is receiving bytes or, in the state `finishing`, making the file. */
    leasedUntil: string | null
    /** When it was created, or a client last sent something. */
    activeAt: string
    fileId: string | null
    /** Sealed: it may hold a secret that is shown once. */
    answer: string | null
    createdAt: string
    /** When an open upload ends, or the row of another one is deleted. */
    expiresAt: string
  }
  /** Bytes of an open upload, stored under a key of their own. */
  uploadPiece: {
    uploadId: string
    offsetBytes: number
    sizeBytes: number
    token: string
    /** Null in rows of earlier versions. */
    sha256: string | null
  }
}
