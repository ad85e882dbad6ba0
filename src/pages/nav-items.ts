import type { MenuEntry } from '../ui/parts/controls.ts'
import type { IconName } from '../ui/parts/icon.ts'
import type { Reader } from '../ui/reader.ts'

/** An entry of the top bar, of the bar below on phones, or of both. */
export interface NavItem {
  label: string
  path: string
  icon: IconName
  /** The only bar that has it; both if absent. */
  only?: 'top' | 'tabs'
  /** The main action of the site: a button at the end of the top bar, with a key. */
  key?: string
}

/** The main pages of a site that this reader may open. Only pages of `page-list.ts`. */
export const mainNavItems = (reader: Reader): readonly NavItem[] =>
  [...uploadItems(reader), ...browseItems(reader)].toSorted((a, b) => positionOf(a) - positionOf(b))

/** The main action is in the middle, what belongs to the reader is last. */
const order = ['/explore', '/albums', '/tags', '/upload', '/search', '/mine']
const positionOf = ({ path }: NavItem): number => order.indexOf(path)

function browseItems({ words, account }: Reader): readonly NavItem[] {
  const { user, mayExplore = false } = account ?? {}
  return [
    ...(mayExplore ? [{ label: words.explore, path: '/explore', icon: 'explore' } as const] : []),
    ...(mayExplore || user ? [{ label: words.albums, path: '/albums', icon: 'albums' } as const] : []),
    ...(mayExplore
      ? [
          { label: words.tags, path: '/tags', icon: 'tag', only: 'top' } as const,
          { label: words.search, path: '/search', icon: 'search', only: 'tabs' } as const,
        ]
      : []),
    ...(user ? [{ label: words.you, path: '/mine', icon: 'person', only: 'tabs' } as const] : []),
  ]
}

function uploadItems({ words, account }: Reader): readonly NavItem[] {
  if (!account?.mayUpload) return []
  return [
    { label: words.upload, path: '/upload', icon: 'upload', only: 'tabs', key: 'u' },
    // Members find theirs in their menu.
    ...(account.user ? [] : [{ label: words.mine, path: '/mine', icon: 'person' } as const]),
  ]
}

/** What the menu of a logged-in reader leads to. Only pages of `page-list.ts`. */
export const accountMenuItems = ({ words, account }: Reader): readonly MenuEntry[] => [
  { label: words.myFiles, address: '/mine', icon: 'picture' },
  { label: words.albums, address: '/albums?of=me', icon: 'albums' },
  { label: words.settings, address: '/settings', icon: 'settings' },
  ...(account?.user && account.user.role !== 'user'
    ? [{ label: words.dashboard, address: '/dashboard', icon: 'chart' } as const]
    : []),
]
