import { isReservedName } from '../../../accounts/index.ts'
import { type Html, html } from '../../../lib/html.ts'
import type { Reader } from '../../../ui/reader.ts'

/** The address of a person's page: the name alone, unless it is also that of one of our own pages. */
export const personPath = (username: string): string =>
  isReservedName(username) ? `/user/${username}` : `/${username}`

/** A person's name, as a link for readers to whom the page is there: where nothing is listed, that is the person alone. */
export function personName({ account }: Reader, username: string): Html {
  const name = html`<strong dir="auto">${username}</strong>`
  const hasPage = account?.mayExplore || account?.user?.username === username
  return hasPage ? html`<a href="${personPath(username)}">${name}</a>` : name
}
