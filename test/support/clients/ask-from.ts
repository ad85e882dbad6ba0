import { request } from 'node:http'
import { text } from 'node:stream/consumers'

export interface Asking {
  method?: string
  path?: string
  headers?: Record<string, string | string[]>
  /** Where we ask from: Linux has all of 127.0.0.0/8. */
  from?: string
  to?: string
}

export interface SeenResponse {
  status: number | undefined
  headers: Record<string, unknown>
  text: string
}

/** Everything that a caller at some address sees, but for the time. */
export async function askFrom(port: number, asking: Asking = {}): Promise<SeenResponse> {
  const { method = 'GET', path = '/', from = '127.0.0.1', to = '127.0.0.1', headers = {} } = asking
  const { promise, resolve, reject } = Promise.withResolvers<SeenResponse>()
  const read = async (incoming: import('node:http').IncomingMessage) => {
    const { date: _, ...rest } = incoming.headers
    return { status: incoming.statusCode, headers: rest, text: await text(incoming) }
  }
  request({ port, host: to, localAddress: from, method, path, headers, agent: false }, (incoming) =>
    resolve(read(incoming)),
  )
    .on('error', reject)
    .end()
  return promise
}
