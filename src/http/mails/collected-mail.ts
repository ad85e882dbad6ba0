import { countMail, findUser } from '../../accounts/index.ts'
import type { StoredFile } from '../../media/index.ts'
import type { ChangingSite } from '../../site/index.ts'
import { changeSite } from '../../tenants/index.ts'
import { languages } from '../../words/languages.ts'
import { addressOf, type MailingCall, sendMailSoon } from './send-mail.ts'

/**
 * Notifies the owner of an album that others have sent files, once an hour at most, from all servers. The file is stored, so a
 * failure is logged and not answered. In every language, because the request has that of the sender.
 */
export async function mailCollected(
  call: MailingCall,
  { userId = '', albumId }: Pick<StoredFile, 'userId' | 'albumId'>,
): Promise<void> {
  const { app, site } = call
  if (!app.mailer) return
  try {
    const user = await findUser(site.db, userId)
    if (user?.email === undefined) return
    const to = user.email
    const count = (changing: ChangingSite) => countMail(changing, { kind: 'collected', to })
    if (!(await changeSite(app.control, site, count))) return
    const all = Object.values(languages).map(({ words }) => words)
    const about = { site: site.hostname, link: addressOf(call, `/album/${albumId}`) }
    sendMailSoon(call, {
      to,
      subject: `${site.hostname}: ${all.map(({ collectedMailSubject }) => collectedMailSubject).join(' / ')}`,
      text: all.map(({ collectedMail }) => collectedMail(about)).join('\n'),
    })
  } catch (error) {
    app.log.warn({ error: String(error) }, 'A mail about collected files could not be sent')
  }
}
