import { countRequest, staffAddresses } from '../../accounts/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import type { ReportReason } from '../../media/index.ts'
import { changeSite } from '../../tenants/index.ts'
import { languages } from '../../words/languages.ts'
import { addressOf, type MailingCall, sendMailSoon } from './send-mail.ts'

/** Notifies the staff that a file waits for a decision. The report is stored, so a failure is logged and not answered. */
export async function mailReport(call: MailingCall, reason: ReportReason): Promise<void> {
  const { app } = call
  if (!app.mailer) return
  try {
    if (await isWithinLimit(call)) await sendToStaff(call, reason)
  } catch (error) {
    app.log.warn({ error: String(error) }, 'A mail about a report could not be sent')
  }
}

/**
 * The mail has no text of reporters and owners: it could lead the staff astray. It is in every language, because the site
 * does not know that of its staff.
 */
async function sendToStaff(call: MailingCall, reason: ReportReason): Promise<void> {
  const { site } = call
  const link = addressOf(call, '/dashboard/reports')
  const all = Object.values(languages).map(({ words }) => words)
  const text = ({ reportMail, reportReasons }: (typeof all)[number]) =>
    reportMail({ site: site.hostname, reason: reportReasons[reason], link })
  const mail = {
    subject: `${site.hostname}: ${all.map(({ reportMailSubject }) => reportMailSubject).join(' / ')}`,
    text: all.map(text).join('\n'),
  }
  for (const to of await staffAddresses(site)) sendMailSoon(call, { to, ...mail })
}

/** Reports of many files must not flood the staff: the page lists them all. */
async function isWithinLimit({ app, site }: MailingCall): Promise<boolean> {
  try {
    const counted = { purpose: 'report-mail', address: '' } as const
    await changeSite(app.control, site, (changing) => countRequest(changing, counted))
    return true
  } catch (error) {
    if (error instanceof Refusal && error.kind === 'too-many') return false
    throw error
  }
}
