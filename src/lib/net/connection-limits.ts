/** What connections may take of the server: time, slots and bytes. */
export interface ConnectionLimits {
  /** How long a connection may be idle between two requests. */
  keepAliveMs: number
  /** The least average speed of a request body and of a response. */
  minBytesPerSecond: number
  /** How long the sender of a request body, or the reader of a response, may be silent. */
  bodyStallMs: number
  answerStallMs: number
  /** Long responses that one address may read at a time. */
  readersPerAddress: number
  /** Bytes of uploads that are not authenticated yet: of all of them, and of one address. */
  unauthenticatedBytes: number
  unauthenticatedBytesPerAddress: number
  /** How long open connections have to finish when the server stops. */
  stopMs: number
}
