import { fileURLToPath } from 'node:url'

/** The program of a decoder that obeys what a file says. */
export const hostileDecoder = fileURLToPath(new URL('./hostile-decoder.ts', import.meta.url))

export const orderMark = 'ORDER '

export interface Order {
  way: string
  detail?: unknown
}

/** A file that the hostile decoder obeys. */
export const orderFor = (way: string, detail?: unknown): Buffer =>
  Buffer.from(orderMark + JSON.stringify({ way, detail }))
