/** The name in a path. Clients resolve `.` and `..`, percent-encoded too, before they send a request; a space, which is trimmed, stops them. */
export const tagKey = (name: string): string =>
  /^\.{1,2}$/.test(name) ? `${name.replaceAll('.', '%2E')}%20` : encodeURIComponent(name)

/** The page of a tag. */
export const tagPath = (name: string): string => `/tag/${tagKey(name)}`
