import { SMTPServer } from 'smtp-server'

export interface ReceivedMail {
  to: string
  subject: string
  text: string
  /** The first address in the text. */
  link: string
}

export interface MailServer extends AsyncDisposable {
  url: string
  mails: ReceivedMail[]
}

/** A mail server that keeps what it gets. */
export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = []
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    onData(stream, session, callback) {
      const chunks: Buffer[] = []
      stream.on('data', (chunk: Buffer) => chunks.push(chunk))
      stream.on('end', () => {
        mails.push(readMail(Buffer.concat(chunks).toString(), session.envelope.rcptTo[0]?.address ?? ''))
        callback()
      })
    },
  })
  const { promise, resolve } = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', resolve)
  await promise
  const address = server.server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    [Symbol.asyncDispose]: () => new Promise((closed) => server.close(() => closed())),
  }
}

function readMail(source: string, to: string): ReceivedMail {
  const at = source.indexOf('\r\n\r\n')
  const head = source.slice(0, at).replaceAll(/\r\n[ \t]/g, ' ')
  const [, subject = ''] = /^Subject: (.*)$/im.exec(head) ?? []
  const [, encoding = ''] = /^Content-Transfer-Encoding: (.*)$/im.exec(head) ?? []
  const body = source.slice(at + 4)
  const text = encoding.trim() === 'quoted-printable' ? readQuoted(body) : readPlain(body, encoding.trim())
  return { to, subject, text, link: /https?:\/\/\S+/.exec(text)?.[0] ?? '' }
}

const readPlain = (body: string, encoding: string) =>
  encoding === 'base64' ? Buffer.from(body, 'base64').toString() : body

function readQuoted(body: string): string {
  const bytes = body
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  return Buffer.from(bytes, 'latin1').toString()
}
