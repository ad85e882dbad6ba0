/** A response before it is written. It can be stored and sent again. */
export interface Answer {
  status: number
  body?: unknown
  headers?: Readonly<Record<string, string | string[]>>
}
