import { adminAddresses } from '../../accounts/index.ts'
import type { App } from '../../app.ts'
import { type DueQuotaMail, quotaActionOf, type Site, takeQuotaMails } from '../../site/index.ts'
import { changeSite, openSite, readTenant, tenantsWithQuotaMails } from '../../tenants/index.ts'
import { languages } from '../../words/languages.ts'
import { addressOf, sendMailSoon } from './send-mail.ts'

type OnFault = (fault: unknown, tenant: string) => void

/** Notifies the administrators of thresholds that quotas have reached, one mail for each. Returns the number of thresholds. */
export async function mailQuotas(app: App, onFault: OnFault): Promise<number> {
  if (!app.mailer) return 0
  let count = 0
  for (const id of await tenantsWithQuotaMails(app.control)) {
    // One tenant's failure must not delay the mails of the others.
    count += await mailQuotasOf(app, id).catch((fault) => {
      onFault(fault, id)
      return 0
    })
  }
  return count
}

/** Taken before they are sent, so that no other server sends them too. */
async function mailQuotasOf(app: App, id: string): Promise<number> {
  await using site = await openSite(app.control, await readTenant(app.control, id))
  const due = await changeSite(app.control, site, takeQuotaMails)
  const addresses = due.length === 0 ? [] : await adminAddresses(site)
  for (const each of due) {
    const mail = mailOf(app, site, each)
    for (const to of addresses) sendMailSoon({ app, site }, { to, ...mail })
  }
  return due.length
}

/** In every language, because no administrator has caused it by a request. */
function mailOf(app: App, site: Site, { limit, percent }: DueQuotaMail) {
  const all = Object.values(languages).map(({ words }) => words)
  const about = {
    site: site.hostname,
    limit,
    percent: `${percent}%`,
    action: quotaActionOf(site.values),
    link: addressOf({ app, site }, '/dashboard'),
  }
  return {
    subject: `${site.hostname}: ${all.map(({ quotaMailSubject }) => quotaMailSubject).join(' / ')}`,
    text: all.map(({ quotaMail }) => quotaMail(about)).join('\n'),
  }
}
