import type { Message } from '../lib/messages.ts'

/** Reads a store without creating, migrating or changing anything in it. */
export interface Inspector extends AsyncDisposable {
  readonly kind: 'sqlite' | 'postgres'
  /** The database's own version, such as `3.53.1`. */
  readonly version: string
  /** Migrations that the control tables still need. */
  pendingControl(): Promise<string[]>
  /** Migrations that a site's tables still need. */
  pendingSite(site: number, rowsGeneration?: number): Promise<string[]>
  /** Broken pages and foreign keys, whatever the rows mean: a text is an error of the database itself. */
  faultsOfControl(): Promise<(Message | string)[]>
  faultsOfSite(site: number, rowsGeneration?: number): Promise<(Message | string)[]>
  /** Tables that are not distributed as the others are. */
  faultsOfDistribution(): Promise<Message[]>
  /** Every site that has tables or rows here, even if the control tables do not list it. */
  sites(): Promise<number[]>
}
