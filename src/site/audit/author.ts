/** In whose name a site is changed, as its audit log tells it. The doors make it, and a `Site` carries it. */
export interface Author {
  kind: 'user' | 'key' | 'share' | 'guest' | 'operator' | 'tool' | 'job'
  /** The user of the session or key. */
  userId?: string | undefined
  keyId?: string | undefined
  /** From where the request came; jobs and the tool have none. */
  address?: string | undefined
}

/** The same world, in which changes count for another author. */
export const authoredBy = <World extends { readonly author: Author }>(
  site: World,
  author: Author,
): World => ({
  ...site,
  author,
})
