import type { FastifyRequest } from 'fastify'
import {
  type AddressMail,
  countMail,
  type EditedUser,
  findUser,
  isSameAddress,
  type Notice,
  type ResetLink,
} from '../../accounts/index.ts'
import type { App } from '../../app.ts'
import type { Mail } from '../../mail/index.ts'
import type { ChangingSite, Site } from '../../site/index.ts'
import { changeSite } from '../../tenants/index.ts'
import { languages } from '../../words/languages.ts'
import { publicUrl } from '../addresses/public-url.ts'
import { trackWork } from '../connection/running-work.ts'
import { languageOf } from '../requests/headers.ts'

/** A call of a page or of the API that sends mail; the tool has no request. */
export interface MailingCall {
  app: App
  site: Site
  request?: FastifyRequest
}

/** The address of a path of the site, for a mail. */
export const addressOf = ({ app, site, request }: MailingCall, path: string): string =>
  new URL(path, publicUrl(app.config, site.hostname, request?.client.scheme)).href

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

/** The link to set a new password. */
export function sendResetMail(call: MailingCall, { username, email, token }: ResetLink): void {
  const words = wordsOf(call)
  const site = call.site.hostname
  const text = words.resetMail({ site, username, link: addressOf(call, `/password/${token}`) })
  sendMailSoon(call, { to: email, subject: words.resetMailSubject(site), text })
}

interface Entered {
  to: string
  mail: AddressMail
  /** Of the account that is to have the address; undefined for a sign-up. */
  username?: string
}

/** To an address that was entered for an account: a link to confirm it, or a word to the user who has it. */
export function sendAddressMail(call: MailingCall, { to, mail, username }: Entered): void {
  if (!mail) return
  const words = wordsOf(call)
  const site = call.site.hostname
  if ('owner' in mail) {
    const text = words.knownMail({ site, username: mail.owner, link: addressOf(call, '/password') })
    sendMailSoon(call, { to, subject: words.signUpMailSubject(site), text })
  } else if (username === undefined) {
    const text = words.signUpMail({ site, link: addressOf(call, `/signup/confirm/${mail.token}`) })
    sendMailSoon(call, { to, subject: words.signUpMailSubject(site), text })
  } else {
    const link = addressOf(call, `/email/confirm/${mail.token}`)
    const text = words.addressMail({ site, username, link })
    sendMailSoon(call, { to, subject: words.addressMailSubject(site), text })
  }
}

interface Notified {
  userId: string
  notice: Notice
  /** The address before the change, where it was changed. */
  to?: string | undefined
}

/**
 * Notifies a user by mail that the account was changed; called when the change is committed. Three of a kind are sent to an
 * address in an hour. The change stands, so a failure is logged and not answered.
 */
export async function notify(call: MailingCall, { userId, notice, ...old }: Notified): Promise<void> {
  const { app, site } = call
  if (!app.mailer) return
  try {
    const user = await findUser(site.db, userId)
    const to = 'to' in old ? old.to : user?.email
    if (!user || to === undefined) return
    const counted = { kind: `notice-${notice}`, to } as const
    const count = (changing: ChangingSite) => countMail(changing, counted)
    if (!(await changeSite(app.control, site, count))) return
    const words = wordsOf(call)
    const about = { what: words.notices[notice], site: site.hostname, username: user.username }
    const text =
      notice === 'address-changed'
        ? words.addressNoticeMail(about)
        : words.noticeMail({ ...about, link: addressOf(call, '/password') })
    sendMailSoon(call, { to, subject: `${site.hostname}: ${about.what}`, text })
  } catch (error) {
    app.log.warn({ error: String(error) }, 'A notice to a user could not be sent')
  }
}

/** For changes by others: of the password, of the address, or of both. The user is known by the address from before. */
export async function notifyOfEdit(
  call: MailingCall,
  { id, email, before }: EditedUser,
  { hasNewPassword }: { hasNewPassword: boolean },
): Promise<void> {
  const to = before.email
  if (!isSameAddress(email, to)) await notify(call, { userId: id, notice: 'address-changed', to })
  if (hasNewPassword) await notify(call, { userId: id, notice: 'password-changed', to })
}

const wordsOf = ({ request }: MailingCall) => languages[languageOf(request?.headers ?? {})].words
