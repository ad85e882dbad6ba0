import type { Mail } from '../../../mail/index.ts'
import { trackWork } from '../../connection/running-work.ts'
import { publicUrl } from '../../requests/public-url.ts'
import type { PageCall } from '../page-call.ts'

/** A call of a page or of the API that sends mail. */
export type MailingCall = Pick<PageCall, 'app' | 'site' | 'request'>

/** The address of a path of the site, for a mail. */
export const addressOf = ({ app, site, request }: MailingCall, path: string): string =>
  new URL(path, publicUrl(app.config, site.hostname, request.client.scheme)).href

/**
 * Sends a mail beside the request, which does not wait for it: the time of the answer would tell whether an address is known.
 * A mail that the server does not take is logged; the person can ask for another one.
 */
export function sendMailSoon({ app }: MailingCall, mail: Mail): void {
  if (!app.mailer) return
  const sent = app.mailer
    .send(mail)
    .catch((error: unknown) => app.log.warn({ error: String(error) }, 'A mail could not be sent'))
  void trackWork(app, sent)
}
