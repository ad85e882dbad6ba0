import type { Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { lastResponseOn } from './raw-responses.ts'

/** The kernel of a client that is gone resets the connection at the first interim response; the second write notices. */
const probeEveryMs = 500

/**
 * A client that closed its sending half either waits for its response or is gone, which looks alike until something is
 * sent. Interim responses find out, so that no work is done for a client that is gone.
 * RFC 9110, 15.2: "A client MUST be able to parse one or more 1xx responses received prior to a final response".
 */
export function probeHalfClosed(server: Server): void {
  server.on('connection', (socket: Socket) => {
    socket.once('end', () => {
      const response = lastResponseOn(socket)
      // HTTP/1.0 has no interim responses.
      if (!response?.req.complete || response.req.httpVersion !== '1.1') return
      probe(response)
      const timer = setInterval(() => probe(response), probeEveryMs).unref()
      response.once('close', () => clearInterval(timer))
    })
  })
}

function probe(response: ServerResponse): void {
  if (!response.headersSent) response.writeProcessing()
}
