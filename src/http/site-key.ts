import type { App } from '../app.ts'
import { deriveSiteKey, type Site, type SiteKeyPurpose } from '../site/index.ts'

/** A key for one purpose on one site. All servers of the installation derive the same one. */
export const siteKey = (app: App, site: Site, purpose: SiteKeyPurpose): Buffer =>
  deriveSiteKey(app.requestSecret, site, purpose)
