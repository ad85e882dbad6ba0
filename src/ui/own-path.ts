/**
 * A path of this host in plain ASCII, so that no form and no link leads to another site or into another header. A long one, escaped
 * in the address of a redirection, would be longer than clients take a header.
 */
export const ownPath = (text: string, otherwise = '/'): string =>
  /^\/(?![/\\])[!-~]{0,2000}$/.test(text) ? text : otherwise

/** The address has the hash of the bytes, so that it may be kept for good; undefined if there is no picture. */
export const profilePicturePath = (userId: string, hash: string | undefined): string | undefined =>
  hash === undefined ? undefined : `/-/people/${userId}/${hash}`
