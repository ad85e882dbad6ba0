import type { PageKey } from '../ui/keys.ts'
import type { Reader } from '../ui/reader.ts'

/** Keys of every page of a site, as far as the reader may open what they lead to. */
export function siteKeys({ words, account }: Reader): PageKey[] {
  const { user, mayExplore, mayUpload } = account ?? {}
  const keys: readonly (PageKey | false | undefined)[] = [
    mayExplore && { key: '/', does: words.search },
    mayUpload && { key: 'u', does: words.upload },
    mayExplore && { key: 'e', does: words.explore, path: '/explore' },
    (mayExplore || user) && { key: 'a', does: words.albums, path: '/albums' },
    user
      ? { key: 'm', does: words.myFiles, path: '/mine' }
      : mayUpload && { key: 'm', does: words.mine, path: '/mine' },
    user && { key: 's', does: words.settings, path: '/settings' },
    user && user.role !== 'user' && { key: 'd', does: words.dashboard, path: '/dashboard' },
  ]
  return keys.flatMap((key) => key || [])
}
