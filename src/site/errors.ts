import { Refusal } from '../lib/refusal.ts'

/** The caller's location of the site is older than the one it is open at: a move has finished meanwhile. */
export const siteElsewhere = () =>
  new Refusal('unavailable', 'site-moving', 'This site is being moved. Try again shortly.')
