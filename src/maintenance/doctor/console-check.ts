import { consoleUrl } from '../../http/addresses/console-address.ts'
import { isLocalName } from '../../lib/net/hosts.ts'
import { tenantOfHost } from '../../tenants/index.ts'
import type { Installation } from './check.ts'
import type { ReportFinding } from './finding.ts'

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
    says: `The console has the hostname of this tenant: ${consoleUrl(config)} ${isLocalName(hostname) ? 'answers only on this machine' : 'is closed'}.`,
    todo: 'Set SERVICE_CONSOLE_HOSTNAME to a hostname that no tenant has.',
  })
}
