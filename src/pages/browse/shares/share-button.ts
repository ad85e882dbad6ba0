import { type Html, html } from '../../../lib/html.ts'
import { dialog, linkButton } from '../../../ui/parts/controls.ts'
import type { Words } from '../../../words/en.ts'

interface Sharing {
  /** The page of the album or file. */
  path: string
  of: 'album' | 'file'
  words: Words
}

type ShareDialog = 'album' | 'file' | 'files' | 'request'

/** Leads to the page of the shares; with script, that page's content is shown in a dialog. */
export const shareButton = ({ path, of, words }: Sharing): Html =>
  linkButton(words.shareAction, `${path}/shares`, {
    look: 'plain',
    icon: 'share',
    more: { 'data-share': dialogOf(of) },
  })

/** Leads to the page that asks for files, in the same way. */
export const requestButton = ({ path, words }: Pick<Sharing, 'path' | 'words'>): Html =>
  linkButton(words.requestAction, `${path}/request`, {
    look: 'plain',
    icon: 'add',
    more: { 'data-share': dialogOf('request') },
  })

/** Empty until it is opened. */
export const shareDialog = ({ of, words }: { of: ShareDialog; words: Words }): Html =>
  dialog({
    id: dialogOf(of),
    title: of === 'request' ? words.requestAction : words.shareAction,
    close: words.close,
    content: html`<div class="share-content" tabindex="-1"></div><div class="toasts" role="status"></div>`,
  })

/** Both can be on one page: that of a file is opened over its album. */
const dialogOf = (of: ShareDialog) => `share-${of}`
