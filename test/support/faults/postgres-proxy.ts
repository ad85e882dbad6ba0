import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/** When a connection is cut: before a message is passed on, or when its answer has come, which is then lost. */
export type Cut = 'before' | 'after'

export interface PostgresProxy extends AsyncDisposable {
  /** The database, reached through here. */
  url: string
  /** Lets the connections whose application is called so fall silent, without breaking them. */
  silence(application: string): void
  /** Breaks those connections now, and as often as they are made anew. */
  refuse(application: string): void
  restore(): void
  /** From now on, each message takes so long to get to the database. */
  delay(ms: number): void
  /** From now on, all statements wait here. New connections are made all the same. */
  hold(): void
  /** How many statements of the pools wait; those with this text in them. */
  held(text?: string): number
  /** Passes on those that wait now, and none that comes later. */
  passHeld(): void
  /** How many messages of the pools have come so far. */
  messages(): number
  /** What can be read of the last ones, for the message of a test that fails. */
  lastMessages(count: number): string[]
  /** Does something when their n-th message from now on comes, before it is passed on. */
  onMessage(number: number, work: () => void): void
  /** Cuts a connection of the pools at their n-th message from now on. `end` cancels the cut and returns whether it happened. */
  cutAt(number: number, cut: Cut): { end(): boolean }
  /** The same at the next message, of any program, that has this text. */
  cutAtText(text: string, cut: Cut): { end(): boolean }
}

/** The first message of a connection has no letter, and those that prove who connects have the letter p. */
const isOfLogin = (message: Buffer) => message[0] === 0 || message[0] === 'p'.charCodeAt(0)

const mostRemembered = 50

const readableText = (message: Buffer) =>
  message
    .toString('latin1')
    .replaceAll(/[^ -~]+/g, ' ')
    .slice(0, 300)

/** Stands before PostgreSQL and does to its connections what networks do. */
export async function startPostgresProxy(databaseUrl: string): Promise<PostgresProxy> {
  const target = new URL(databaseUrl)
  let silenced: string | undefined
  let refused: string | undefined
  let armed: { left: number; cut: Cut; text?: string } | undefined
  let delayMs = 0
  let held: { isOfPool: boolean; chunk: Buffer; pass: () => void }[] | undefined
  let messages = 0
  const last: string[] = []
  let awaited: { number: number; work: () => void } | undefined
  const sockets = new Set<Socket>()
  const names = new Map<Socket, string>()

  const server = createServer((client) => {
    const upstream = connect(Number(target.port), '127.0.0.1')
    const isCalled = (name: string | undefined) =>
      name !== undefined && (names.get(client) ?? '').includes(`\0${name}\0`)
    let isLosing = false
    client.on('data', (chunk: Buffer) => {
      if (!names.has(client)) names.set(client, chunk.toString('latin1'))
      if (isCalled(refused)) return void client.destroy()
      if (isCalled(silenced)) return
      if (isCalled('terrace')) {
        messages += 1
        last.push(readableText(chunk))
        if (last.length > mostRemembered) last.shift()
        if (messages === awaited?.number) awaited.work()
      }
      const isMeant = armed?.text === undefined ? isCalled('terrace') : chunk.includes(armed.text)
      if (armed && isMeant && --armed.left === 0) {
        const { cut } = armed
        armed = undefined
        if (cut === 'before') return void client.resetAndDestroy()
        isLosing = true
      }
      const pass = () => upstream.write(chunk)
      if (held && !isOfLogin(chunk)) held.push({ isOfPool: isCalled('terrace'), chunk, pass })
      else if (delayMs === 0) pass()
      else setTimeout(pass, delayMs)
    })
    upstream.on('data', (chunk) => {
      if (isLosing) client.resetAndDestroy()
      else if (!isCalled(silenced)) client.write(chunk)
    })
    for (const [socket, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      sockets.add(socket)
      socket.on('error', () => undefined)
      socket.on('close', () => {
        sockets.delete(socket)
        names.delete(socket)
        other.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  const arm = (order: NonNullable<typeof armed>) => {
    armed = order
    const end = () => {
      armed = undefined
      return order.left === 0
    }
    return { end }
  }
  await once(server, 'listening')
  const address = server.address()
  const url = new URL(databaseUrl)
  url.port = String(typeof address === 'object' && address ? address.port : 0)
  return {
    url: url.href,
    silence(application) {
      silenced = application
    },
    refuse(application) {
      refused = application
      for (const [socket, name] of names) if (name.includes(`\0${application}\0`)) socket.destroy()
    },
    restore() {
      silenced = undefined
      refused = undefined
    },
    delay(ms) {
      delayMs = ms
    },
    hold() {
      held = []
    },
    held: (text = '') => held?.filter(({ isOfPool, chunk }) => isOfPool && chunk.includes(text)).length ?? 0,
    passHeld() {
      for (const { pass } of held?.splice(0) ?? []) pass()
    },
    messages: () => messages,
    lastMessages: (count) => (count === 0 ? [] : last.slice(-count)),
    onMessage(number, work) {
      awaited = { number: messages + number, work }
    },
    cutAt: (number, cut) => arm({ left: number, cut }),
    cutAtText: (text, cut) => arm({ left: 1, cut, text }),
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
