import type { OverWords } from '../../../src/pages/wire.ts'
import { dataOf } from '../../behaviour/island-data.ts'
import { openOverList } from './open.ts'

/** A list that is whole on its page. */
export function start(root: HTMLElement): void {
  const links = [...root.querySelectorAll<HTMLAnchorElement>('.tile a')]
  const order = {
    count: links.length,
    pathAt: async (index: number) => links[index]?.getAttribute('href') ?? undefined,
    focus: (index: number) => links[index]?.focus(),
  }
  openOverList(root, dataOf<OverWords>(root), order, (link) => links.indexOf(link))
}
