import type { Html } from '../../../lib/html.ts'
import { tabs } from '../../../ui/parts/lists.ts'
import type { PageCall } from '../../page-call.ts'

/** What belongs to the caller. */
export const mineTabs = ({ reader: { words } }: PageCall, current: 'files' | 'shares' | 'trash'): Html =>
  tabs(words.myFiles, [
    { label: words.filesTab, address: '/mine', isCurrent: current === 'files' },
    { label: words.albums, address: '/albums?of=me' },
    { label: words.sharesTab, address: '/mine/shares', isCurrent: current === 'shares' },
    { label: words.trash, address: '/mine/trash', isCurrent: current === 'trash' },
  ])
