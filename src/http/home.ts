import { pagePolicy, plainPage } from './pages.ts'
import type { SiteRoute } from './site-route.ts'

export const getHome: SiteRoute['handle'] = () => async (site, _request, reply) =>
  reply
    .header('content-type', 'text/html; charset=utf-8')
    .header('content-security-policy', pagePolicy)
    .send(plainPage(site.hostname, 'This site is up. Files are uploaded through its API.'))
