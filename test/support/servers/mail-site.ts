import { type StoreKind, startTestApp } from '../harness.ts'
import { askPage } from '../pages.ts'
import { until } from '../until.ts'
import { type ReceivedMail, startMailServer } from './mail-server.ts'

/** An app that sends mail, with one site that is open for sign-ups. */
export async function startMailSite(store: StoreKind, more: Record<string, string> = {}) {
  const mail = await startMailServer()
  const environment = {
    SERVICE_SMTP_URL: mail.url,
    SERVICE_MAIL_FROM: 'Media <media@example.com>',
    SERVICE_ENABLE_SIGNUP: '1',
    SERVICE_TRUSTED_PROXIES: '127.0.0.1',
    ...more,
  }
  const app = await startTestApp({ store, environment })
  const cats = await app.tenant('cats')
  let asked = 0
  return {
    app,
    cats,
    mail,
    /** The next mail to this address whose subject matches and that was not read before, with the path of its link. */
    async read(to: string, subject: RegExp): Promise<ReceivedMail & { path: string }> {
      const isIt = (each: ReceivedMail) => each.to === to && subject.test(each.subject)
      await until(() => mail.mails.some(isIt), `a mail to ${to}: ${subject}`)
      const [found] = mail.mails.splice(mail.mails.findIndex(isIt), 1)
      if (!found) throw new Error('The mail was there.')
      return { ...found, path: found.link === '' ? '' : new URL(found.link).pathname }
    },
    /** Asks for a reset mail, each time from another network. */
    askReset(email: string) {
      asked += 1
      const headers = { 'x-forwarded-for': `203.0.113.${asked}`, 'x-forwarded-proto': 'http' }
      return askPage(app, cats, 'POST /password', { form: { email }, headers })
    },
    async [Symbol.asyncDispose]() {
      await app[Symbol.asyncDispose]()
      await mail[Symbol.asyncDispose]()
    },
  }
}

export type MailSite = Awaited<ReturnType<typeof startMailSite>>
