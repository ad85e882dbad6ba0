import type { Transporter } from 'nodemailer'

export interface Mail {
  to: string
  subject: string
  /** Plain text: it is read everywhere, and nothing in it can be markup. */
  text: string
}

export interface Mailer extends Disposable {
  /** Resolves when the mail server has taken the mail. */
  send(mail: Mail): Promise<void>
}

const timeoutMs = 20_000

/** Sends by the SMTP server that the URL names; connections are kept and shared. */
export function openMailer({ url, from }: { url: string; from: string }): Mailer {
  let transport: Promise<Transporter> | undefined
  return {
    async send(mail) {
      // With the first mail, because most starts send none.
      transport ??= openTransport(url)
      await (await transport).sendMail({ from, ...mail })
    },
    [Symbol.dispose]: () => void transport?.then((opened) => opened.close()),
  }
}

async function openTransport(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const { hostname, port, protocol, username, password } = new URL(url)
  return createTransport({
    pool: true,
    maxConnections: 2,
    host: hostname.replace(/^\[(.*)\]$/, '$1'),
    port: Number(port || (protocol === 'smtps:' ? 465 : 587)),
    secure: protocol === 'smtps:',
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    ...{ connectionTimeout: timeoutMs, greetingTimeout: timeoutMs, socketTimeout: timeoutMs },
    // Texts are ours, addresses were checked: no file and no URL is ever attached.
    ...{ disableFileAccess: true, disableUrlAccess: true },
  })
}
