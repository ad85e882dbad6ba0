import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

export interface Connection extends AsyncDisposable {
  port: number
  /** Where new connections lead. */
  leadTo(port: number): void
  /** Stops what a browser sends on a connection after so many bytes, until `release`. */
  holdAfter(bytes: number): void
  release(): void
  /** Resolves when a connection is held. */
  held(): Promise<void>
  /** Ends all connections, and refuses new ones until `mend`. */
  cut(): void
  mend(): void
  /** Bytes that browsers have sent so far. */
  sentBytes(): number
}

/** The line between a browser and a server, which tests hold and cut. */
export async function startConnection(): Promise<Connection> {
  const ends = new Set<Socket>()
  const waiting = new Set<Socket>()
  let [target, most, sent, isCut] = [0, Number.POSITIVE_INFINITY, 0, false]
  let onHeld = Promise.withResolvers<void>()

  const server = createServer((browser) => {
    if (isCut) return browser.destroy()
    const onward = connect(target, '127.0.0.1')
    let passed = 0
    for (const end of [browser, onward]) {
      ends.add(end)
      end.on('error', () => undefined)
      end.on('close', () => {
        ends.delete(end)
        waiting.delete(browser)
        browser.destroy()
        onward.destroy()
      })
    }
    onward.pipe(browser)
    browser.on('data', (chunk) => {
      sent += chunk.length
      passed += chunk.length
      onward.write(chunk)
      if (passed <= most) return
      browser.pause()
      waiting.add(browser)
      onHeld.resolve()
    })
    browser.on('end', () => onward.end())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const cut = () => {
    isCut = true
    for (const end of ends) end.destroy()
  }
  return {
    port: typeof address === 'object' && address ? address.port : 0,
    leadTo(port) {
      target = port
    },
    holdAfter(bytes) {
      most = bytes
      onHeld = Promise.withResolvers()
    },
    release() {
      most = Number.POSITIVE_INFINITY
      for (const browser of waiting) browser.resume()
      waiting.clear()
    },
    held: () => onHeld.promise,
    cut,
    mend() {
      isCut = false
    },
    sentBytes: () => sent,
    async [Symbol.asyncDispose]() {
      cut()
      server.close()
    },
  }
}
