import type { ControlTables } from '../../db/index.ts'

/** In whose name the installation is changed, as its audit log records it. The doors make it, and a `Control` carries it. */
export interface ControlAuthor {
  kind: ControlTables['controlAudit']['actor']
  /** Of the operator or the key. */
  id?: string | undefined
  name?: string | undefined
  /** Of the request; jobs and the tool have none. */
  address?: string | undefined
  userAgent?: string | undefined
  requestId?: string | undefined
}

/** The same installation, whose changes are recorded for another author. */
export const actingAs = <T extends { readonly author: ControlAuthor }>(
  control: T,
  author: ControlAuthor,
): T => ({ ...control, author })
