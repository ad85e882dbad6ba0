import { PostgresHosts } from './hosts.ts'

/** How a PostgreSQL database is reached. */
export interface PostgresAddress {
  hosts: PostgresHosts
  /** PostgreSQL itself, for what needs a session of its own; other than `hosts` if those are poolers. */
  sessionHosts: PostgresHosts
}

export function addressOf(url: string, directUrl?: string): PostgresAddress {
  const hosts = new PostgresHosts(url)
  return { hosts, sessionHosts: directUrl === undefined ? hosts : new PostgresHosts(directUrl) }
}
