/** In whose name a site is changed, as its audit log records it. The doors make it, and a `Site` carries it. */
export interface Author {
  kind: 'user' | 'key' | 'share' | 'guest' | 'operator' | 'tool' | 'job'
  /** The user of the session or key. */
  userId?: string | undefined
  keyId?: string | undefined
  /** From where the request came; jobs and the tool have none. */
  address?: string | undefined
}

/** The same site, whose changes are recorded for another author. */
export const authoredBy = <T extends { readonly author: Author }>(site: T, author: Author): T => ({
  ...site,
  author,
})
