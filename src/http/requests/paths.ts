/** A request's path as the router reads it: without the query, and percent-decoded where that is unambiguous. */
export function pathOf(url: string): string {
  const path = url.split(/[?#]/, 1).join()
  return path.includes('%') ? path.replaceAll(/%[0-7][0-9a-f]/gi, decodeEscape) : path
}

/** Characters that the router leaves escaped, since they have a meaning in a URL. */
const keptEscaped = new Set('#$%&+,/:;=?@')

function decodeEscape(escaped: string): string {
  const character = String.fromCharCode(Number.parseInt(escaped.slice(1), 16))
  return keptEscaped.has(character) ? escaped : character
}

export const isManagementPath = (path: string): boolean => /^\/+_\/+api\/+4(?:\/|$)/.test(path)
export const isControlPath = (path: string): boolean => /^\/+_(?:\/|$)/.test(path)
export const isUploadPath = (path: string): boolean => /^\/+(?:api|1)(?:\/|$)/.test(path)
/** An address of the site's own API. `/api/5/upload` is none of them: the upload API refuses it. */
export const isMediaPath = (path: string): boolean => /^\/+api\/+5(?!\/+upload\/*$)(?:\/|$)/.test(path)
/** A resumable upload, or the address that creates them. */
export const isResumablePath = (path: string): boolean => /^\/+api\/+5\/+uploads(?:\/|$)/.test(path)
export const isFilePath = (path: string): boolean => /^\/+images\//.test(path)
export const isDeletePath = (path: string): boolean =>
  /^\/+(?:image|video)\/+[^/]+\/+delete\/+[^/]+\/*$/.test(path)
export const isOembedPath = (path: string): boolean => /^\/+oembed\/*$/.test(path)
