import type { Control } from '../control/index.ts'
import { tenantOfHost } from './tenants.ts'
import { hostnamesAfter } from './tenants-table.ts'

/** What the proxy in front of us is told about itself; tenants are added to it. */
export interface RoutingOptions {
  hostname: string
  serviceName: string
  upstreams: readonly string[]
  entryPoints: readonly string[]
  allowedRanges: readonly string[]
}

const middleware = 'allow-range'
const pageSize = 5_000

/**
 * The document for Traefik's HTTP provider, in pieces. The same state gives the same bytes.
 * Every map has an entry and every list one too: Traefik rejects the whole document over an empty one.
 */
export async function* routingDocument(control: Control, options: RoutingOptions): AsyncGenerator<string> {
  const router = routerWriter(options)
  yield `{"http":{"routers":{"*":${router(options.hostname)}`
  for (let last = ''; ; ) {
    const page = await hostnamesAfter(control.store.control, last, pageSize)
    yield page.map(({ id, hostname }) => `,${JSON.stringify(id)}:${router(hostname)}`).join('')
    const lastRow = page.at(-1)
    if (!lastRow || page.length < pageSize) break
    last = lastRow.id
  }
  yield `},"services":${JSON.stringify(servicesOf(options))},"middlewares":${JSON.stringify(middlewaresOf(options))}}}`
}

/** Whether a certificate may be asked for this name. */
export async function mayHaveCertificate(control: Control, hostname: string): Promise<boolean> {
  const tenant = await tenantOfHost(control, hostname)
  return tenant?.isEnabled === true
}

const plainName = /^[a-z0-9.-]+$/

function routerWriter({ serviceName, entryPoints }: RoutingOptions): (hostname: string) => string {
  const rest = JSON.stringify({ service: serviceName, entryPoints, middlewares: [middleware] }).slice(1)
  return (hostname) => {
    // Names are checked where they come in. This is the wall behind that: a rule is code to the proxy.
    if (!plainName.test(hostname)) throw new Error(`A hostname that is no plain name was stored: ${hostname}`)
    return `{"rule":"Host(\`${hostname}\`)",${rest}`
  }
}

const servicesOf = ({ serviceName, upstreams }: RoutingOptions) => ({
  [serviceName]: { loadBalancer: { servers: upstreams.map((url) => ({ url })), passHostHeader: true } },
})

const middlewaresOf = ({ allowedRanges }: RoutingOptions) => ({
  [middleware]: { ipAllowList: { sourceRange: allowedRanges } },
})
