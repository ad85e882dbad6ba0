/**
 * A path of this host in plain ASCII, so that no form and no link leads to another site or into another header. A long one, escaped
 * in the address of a redirection, would be longer than clients take a header.
 */
export const ownPath = (text: string, otherwise = '/'): string =>
  /^\/(?![/\\])[!-~]{0,2000}$/.test(text) ? text : otherwise
