import { consoleUrl } from '../../http/addresses/console-address.ts'
import { message } from '../../lib/messages.ts'
import { isLocalName } from '../../lib/net/hosts.ts'
import { tenantOfHost } from '../../tenants/index.ts'
import type { Installation } from './check.ts'
import { type ReportFinding, sentences } from './finding.ts'

/** Site and console would be one origin, so the console then answers only this machine, by a local name. */
export async function checkConsole({ app }: Installation, report: ReportFinding): Promise<void> {
  const { config, control } = app
  const { hostname } = config.console
  const tenant = await tenantOfHost(control, hostname)
  if (!tenant) return
  await report({
    isFault: false,
    tenant: tenant.id,
    key: hostname,
    ...sentences(
      message(isLocalName(hostname) ? 'consoleLocal' : 'consoleClosed', { url: consoleUrl(config) }),
      message('setConsoleHostname'),
    ),
  })
}
