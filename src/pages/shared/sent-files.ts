import { cookieName, cookieValues } from '../../http/session/session-cookie.ts'
import { siteKey } from '../../http/site-key.ts'
import { type Html, html } from '../../lib/html.ts'
import { fileNameOf, findSentFile, removalProof, type Share } from '../../media/index.ts'
import { submitButton } from '../../ui/parts/controls.ts'
import type { PageCall } from '../page-call.ts'
import { setShareCookie } from './share-request.ts'

export const removalKey = ({ app, site }: Pick<PageCall, 'app' | 'site'>): Buffer =>
  siteKey(app, site, 'share passes')

export const removalOf = (call: PageCall, share: Share, fileId: string): string =>
  removalProof(removalKey(call), share, fileId)

const mostKept = 20

const nameOf = ({ id }: Share) => `terrace-sent-${id}`

/** Keeps in a cookie what a plain form has sent. An address with the proof would be passed on with the link of the share. */
export function keepSent(call: PageCall, share: Share, fileId: string): void {
  const kept = [`${fileId}.${removalOf(call, share, fileId)}`, ...keptBefore(call, share)]
  setShareCookie(call, nameOf(share), kept.slice(0, mostKept).join('~'))
}

function keptBefore({ app, request }: PageCall, share: Share): readonly string[] {
  const [value = ''] = cookieValues(request, cookieName(app, request, nameOf(share)), /^[\w.~-]{1,2000}$/)
  return value.split('~').slice(0, mostKept)
}

/** What this browser has sent by the plain form, with *Remove*; undefined if that is nothing. */
export async function sentFiles(call: PageCall, share: Share): Promise<Html | undefined> {
  const { words } = call.reader
  const key = removalKey(call)
  const items: Html[] = []
  for (const kept of keptBefore(call, share)) {
    const [id = '', proof = ''] = kept.split('.')
    const file = await findSentFile(call.site, share, { key, id, proof })
    if (!file) continue
    const name = fileNameOf(file)
    const remove = submitButton(words.queue.takeBack, {
      look: 'plain',
      isDense: true,
      more: { 'aria-label': words.queue.takeBackOne.replace('{name}', () => name) },
    })
    items.push(
      html`<li><bdi>${name}</bdi><form method="post" action="/share/${call.params.token}/files/${id}/remove"><input type="hidden" name="proof" value="${proof}">${remove}</form></li>`,
    )
  }
  return items.length > 0 ? html`<ul class="sent-files">${items}</ul>` : undefined
}
