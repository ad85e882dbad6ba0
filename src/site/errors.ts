import { Refusal } from '../lib/refusal.ts'

export const leaseLost = () =>
  new Refusal('conflict', 'lease-lost', 'Another worker has taken over this site.')

/** For who knows less of a site's place than others here do. */
export const siteElsewhere = () =>
  new Refusal('unavailable', 'site-moving', 'This site is being moved. Try again shortly.')
