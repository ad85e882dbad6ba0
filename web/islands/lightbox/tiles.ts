import type { LightboxData } from '../../../src/common/wire.ts'
import { dataOf } from '../../behaviour/island-data.ts'
import { openLightboxOn, startTileHover } from './open.ts'

/** A list that is whole on its page. */
export function start(root: HTMLElement): void {
  const links = [...root.querySelectorAll<HTMLAnchorElement>('.tile a')]
  const files = {
    count: links.length,
    pathAt: async (index: number) => links[index]?.getAttribute('href') ?? undefined,
    focus: (index: number) => links[index]?.focus(),
    tileAt: (index: number) => links[index],
  }
  const data = dataOf<LightboxData>(root)
  startTileHover(root, data)
  openLightboxOn(root, data, files, (link) => links.indexOf(link))
}
