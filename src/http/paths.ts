/** A request's path as the router reads it: without the query, and with escapes undone where that is plain. */
export function pathOf(url: string): string {
  const path = url.split(/[?#]/, 1).join()
  return path.includes('%') ? path.replaceAll(/%[0-7][0-9a-f]/gi, plainly) : path
}

/** The router leaves these escaped, since they could mean something else when they are not. */
const keptEscaped = new Set('#$%&+,/:;=?@')

function plainly(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
  return keptEscaped.has(character) ? escaped : character
}

export const isManagementPath = (path: string): boolean => /^\/+_\/+api\/+4(?:\/|$)/.test(path)
export const isControlPath = (path: string): boolean => /^\/+_(?:\/|$)/.test(path)
export const isUploadPath = (path: string): boolean => /^\/+(?:api|1)(?:\/|$)/.test(path)
export const isFilePath = (path: string): boolean => /^\/+images\//.test(path)
