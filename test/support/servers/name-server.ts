import { createSocket } from 'node:dgram'
import { once } from 'node:events'

/** What the name server says of a name; nothing is said where it is silent. */
export type Records = 'silent' | { a?: readonly string[]; aaaa?: readonly string[] | 'silent' }

export interface NameServer extends AsyncDisposable {
  /** For SERVICE_DNS_SERVERS. */
  address: string
  /** `A name` and `AAAA name`, as often as they were asked. */
  questions: string[]
  /** The names that were asked for, each once. */
  names(): Set<string>
}

const typeNames: Readonly<Record<number, string>> = { 1: 'A', 28: 'AAAA' }

/** A real name server on a UDP port of this machine. Names that `recordsOf` does not know do not exist. */
export async function startNameServer(recordsOf: (name: string) => Records | undefined): Promise<NameServer> {
  const socket = createSocket('udp4')
  const questions: string[] = []
  socket.on('message', (query, { port, address }) => {
    const { name, type, end } = questionOf(query)
    questions.push(`${typeNames[type] ?? type} ${name}`)
    const records = recordsOf(name)
    if (records === 'silent') return
    const found = type === 28 ? (records?.aaaa ?? []) : (records?.a ?? [])
    if (found === 'silent') return
    socket.send(answerTo(query, { end, type, found, isKnown: records !== undefined }), port, address)
  })
  socket.bind(0, '127.0.0.1')
  await once(socket, 'listening')
  return {
    address: `127.0.0.1:${socket.address().port}`,
    questions,
    names: () => new Set(questions.map((question) => question.split(' ')[1] ?? '')),
    async [Symbol.asyncDispose]() {
      socket.close()
      await once(socket, 'close')
    },
  }
}

function questionOf(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = []
  let at = 12
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length))
    at += 1 + length
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 }
}

interface Answering {
  end: number
  type: number
  found: readonly string[]
  isKnown: boolean
}

function answerTo(query: Buffer, { end, type, found, isKnown }: Answering): Buffer {
  const head = Buffer.from(query.subarray(0, 12))
  // A response, recursion available, NXDOMAIN for what is not known (RFC 1035, 4.1.1).
  head.writeUInt16BE(isKnown ? 0x8180 : 0x8183, 2)
  head.writeUInt16BE(found.length, 6)
  head.writeUInt32BE(0, 8)
  const records = found.map((address) => {
    const data = type === 28 ? bytesOf6(address) : Buffer.from(address.split('.').map(Number))
    const record = Buffer.alloc(12)
    record.writeUInt16BE(0xc00c, 0)
    record.writeUInt16BE(type, 2)
    record.writeUInt16BE(1, 4)
    record.writeUInt32BE(60, 6)
    record.writeUInt16BE(data.length, 10)
    return Buffer.concat([record, data])
  })
  return Buffer.concat([head, query.subarray(12, end), ...records])
}

function bytesOf6(address: string): Buffer {
  const [before = '', behind = ''] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const [front, back] = [groups(before), groups(behind)]
  const all = [...front, ...Array<string>(8 - front.length - back.length).fill('0'), ...back]
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex')
}
