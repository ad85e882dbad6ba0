/** A path of this host in plain ASCII, so that no form and no link leads to another site or into another header. */
export const ownPath = (text: string, otherwise = '/'): string =>
  /^\/(?![/\\])[!-~]*$/.test(text) ? text : otherwise
