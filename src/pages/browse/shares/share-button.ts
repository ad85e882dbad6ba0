import { type Html, html } from '../../../lib/html.ts'
import type { Words } from '../../../words/en.ts'
import { dialog, linkButton } from '../../parts/controls.ts'

interface Sharing {
  /** The page of the album or file. */
  path: string
  of: 'album' | 'file'
  words: Words
}

/** Leads to the page of the shares; with script, that page's content is shown in a dialog. */
export const shareButton = ({ path, of, words }: Sharing): Html =>
  linkButton(words.shareAction, `${path}/shares`, {
    look: 'plain',
    icon: 'share',
    more: { 'data-share': dialogOf(of), 'data-failed': words.selection.noConnection },
  })

/** Empty until it is opened. */
export const shareDialog = ({ of, words }: Pick<Sharing, 'of' | 'words'>): Html =>
  dialog({
    id: dialogOf(of),
    title: words.shareAction,
    close: words.close,
    content: html`<div class="share-content" tabindex="-1"></div><div class="toasts" role="status"></div>`,
  })

/** Both can be on one page: that of a file is opened over its album. */
const dialogOf = (of: 'album' | 'file') => `share-${of}`
