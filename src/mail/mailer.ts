import type { Transporter } from 'nodemailer'
import { isLoopback } from '../lib/net/addresses.ts'

export interface Mail {
  to: string
  subject: string
  /** Plain text: it is read everywhere, and nothing in it can be markup. */
  text: string
}

/** Closing waits for mails that are being sent. */
export interface Mailer extends AsyncDisposable {
  /** Resolves when the mail server has taken the mail. */
  send(mail: Mail): Promise<void>
}

const timeoutMs = 20_000

/** Sends by the SMTP server that the URL names; connections are kept and shared. */
export function openMailer({ url, from }: { url: string; from: string }): Mailer {
  let transport: Promise<Transporter> | undefined
  const sending = new Set<Promise<unknown>>()
  return {
    async send(mail) {
      // With the first mail, because most starts send none.
      transport ??= openTransport(url)
      const sent = transport.then((opened) => opened.sendMail({ from, ...mail }))
      sending.add(sent)
      await sent.finally(() => sending.delete(sent))
    },
    async [Symbol.asyncDispose]() {
      await Promise.allSettled(sending)
      await transport?.then((opened) => opened.close())
    },
  }
}

async function openTransport(url: string): Promise<Transporter> {
  const { createTransport } = await import('nodemailer')
  const { username, password } = new URL(url)
  return createTransport({
    pool: true,
    maxConnections: 2,
    ...smtpServerOf(url),
    ...(username !== '' && {
      auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) },
    }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    // Texts are ours, addresses were checked: no file and no URL is ever attached.
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/**
 * The server that a URL names, and how it is spoken to. Without `smtps:` the connection is upgraded by STARTTLS before
 * anything is said, else no mail is sent. `optional`, as on this machine itself, takes any encryption that is offered: it
 * does not protect against a network that removes the offer, so it does not check the certificate either.
 */
export function smtpServerOf(url: string) {
  const { hostname, port, protocol, searchParams } = new URL(url)
  const host = hostname.replace(/^\[(.*)\]$/, '$1')
  const isOwnMachine = /^(?:.*\.)?localhost$/i.test(host) || isLoopback(host)
  const starttls = searchParams.get('starttls') ?? (isOwnMachine ? 'optional' : 'required')
  if (protocol === 'smtps:')
    return { host, port: Number(port || 465), secure: true, tls: { rejectUnauthorized: true } }
  const isRequired = starttls === 'required'
  return {
    host,
    port: Number(port || 587),
    secure: false,
    requireTLS: isRequired,
    tls: { rejectUnauthorized: isRequired },
  }
}
