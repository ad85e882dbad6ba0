/** What the door knows of a request that is about the account of an operator. */
export interface OperatorRequest {
  /** Of the console: browsers bind passkeys to it. */
  hostname: string
  /** Of the console's pages, as browsers name it. */
  origin: string
  /** Seals what pages carry from step to step: see `installationKey`. */
  key: Uint8Array
  address: string
  userAgent: string
  /** Of the session that the browser has. A log-in ends it. */
  sessionId?: string | undefined
}
