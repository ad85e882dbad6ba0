export const mostBodyBytes = 65_536
export const mostSortOrder = 1_000_000

export const longestPageTitle = 100
export const urlKeyForm = '^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$'

export const urlKeyFault = (urlKey: string): string | undefined =>
  new RegExp(urlKeyForm).test(urlKey)
    ? undefined
    : 'must be 1 to 64 of a-z 0-9 -, and neither begin nor end with -'

export function pageTitleFault(title: string): string | undefined {
  const length = [...title].length
  if (title.trim() === '' || length > longestPageTitle)
    return `must be 1 to ${longestPageTitle} characters long, not ${length}`
  return /\p{Cc}/u.test(title) ? 'must not contain control characters' : undefined
}

export function pageBodyFault(body: string): string | undefined {
  // PostgreSQL refuses a NUL in a text.
  if (body.includes('\0')) return 'must not contain NUL'
  const bytes = Buffer.byteLength(body)
  return bytes > mostBodyBytes ? `must be at most ${mostBodyBytes} bytes long, not ${bytes}` : undefined
}
