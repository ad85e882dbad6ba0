import type { Control } from '../../control/index.ts'
import { isLocalName } from '../../lib/net/hosts.ts'
import { tenantOfHost } from '../tenants.ts'
import { hostnamesAfter, hostnamesOfSites } from '../tenants-table.ts'
import { sitesOfChangedTenants } from './changed-tenants-table.ts'
import { writtenList } from './incremental-list.ts'

/** The part of the proxy's configuration that does not depend on tenants. */
export interface RoutingOptions {
  hostname: string
  /** Of the operators' console; usually that of the installation. */
  consoleHostname: string
  serviceName: string
  upstreams: readonly string[]
  entryPoints: readonly string[]
  allowedRanges: readonly string[]
}

const middleware = 'allow-range'
const pageSize = 5_000

/**
 * Reads the document for Traefik's HTTP provider, in chunks. Equal tenants and options give equal bytes.
 * No map and no list is empty: Traefik rejects the whole document because of an empty one.
 */
export function routingDocument(control: Control, options: RoutingOptions): () => Promise<Buffer[]> {
  const router = routerWriter(options)
  const { store } = control
  const hostnames = {
    notifications: { version: store.controlVersion, whenCurrent: store.whenCurrent },
    pageAfter: (id: string) => hostnamesAfter(store.control, id, pageSize),
    changedSites: sitesOfChangedTenants,
    ofSites: (sites: readonly number[]) => hostnamesOfSites(store.control, sites),
  }
  const readRouters = writtenList(
    control,
    hostnames,
    ({ id, hostname }) => `,${JSON.stringify(id)}:${router(hostname)}`,
  )
  const end = `},"services":${JSON.stringify(servicesOf(options))},"middlewares":${JSON.stringify(middlewaresOf(options))}}}`

  return async () => {
    const routers = await readRouters()
    // If a tenant has the installation's own hostname, as the demo has, two routers would have the same rule and Traefik
    // would choose either: `*` then gets the control plane only, and the tenant's router the remaining paths.
    const isTenants = (await tenantOfHost(control, options.hostname)) !== undefined
    const start = `{"http":{"routers":{"*":${router(options.hostname, isTenants ? controlPlane : '')}`
    const ofConsole = (await hasOwnConsole(control, options))
      ? `,"*console":${router(options.consoleHostname)}`
      : ''
    return [Buffer.from(start + ofConsole), ...routers, Buffer.from(end)]
  }
}

/** Whether the console has a hostname of its own. At that of a tenant it answers no request of a proxy. */
const hasOwnConsole = async (
  control: Control,
  { hostname, consoleHostname }: RoutingOptions,
): Promise<boolean> =>
  consoleHostname !== hostname && (await tenantOfHost(control, consoleHostname)) === undefined

/** Whether a certificate may be requested for this hostname: that of an enabled tenant, or of the console. */
export async function mayHaveCertificate(
  control: Control,
  { consoleHostname }: Pick<RoutingOptions, 'consoleHostname'>,
  hostname: string,
): Promise<boolean> {
  const tenant = await tenantOfHost(control, hostname)
  return tenant ? tenant.isEnabled : hostname === consoleHostname && !isLocalName(hostname)
}

/** The paths of the router `*` on a hostname that is also a tenant's. */
const controlPlane = ' && PathPrefix(`/_/`)'

const plainName = /^[a-z0-9.-]+$/

type RouterWriter = (hostname: string, more?: string) => string

function routerWriter({ serviceName, entryPoints }: RoutingOptions): RouterWriter {
  const rest = JSON.stringify({ service: serviceName, entryPoints, middlewares: [middleware] }).slice(1)
  return (hostname, more = '') => {
    // Second check after the one on input: a rule is code for the proxy.
    if (!plainName.test(hostname)) throw new Error(`The stored hostname is not a DNS name: ${hostname}`)
    return `{"rule":"Host(\`${hostname}\`)${more}",${rest}`
  }
}

const servicesOf = ({ serviceName, upstreams }: RoutingOptions) => ({
  [serviceName]: { loadBalancer: { servers: upstreams.map((url) => ({ url })), passHostHeader: true } },
})

const middlewaresOf = ({ allowedRanges }: RoutingOptions) => ({
  [middleware]: { ipAllowList: { sourceRange: allowedRanges } },
})
