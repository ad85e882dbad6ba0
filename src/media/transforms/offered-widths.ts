import type { StoredFile } from '../files/stored-file.ts'
import { originalOf } from './plan-transform.ts'
import { ladder } from './read-transform.ts'

/** A picture that browsers may choose by its width. */
export interface OfferedWidth {
  /** As the address says it: one of the ladder. */
  asked: number
  /** Of the picture that comes: nothing is enlarged. */
  width: number
}

const widest = ladder.at(-1) ?? 0

/**
 * The widths in which pages offer a file: those of the ladder below its own, and its own where that is no larger than the ladder. Of a video
 * its frame. Undefined for animations, which would lose their frames, for SVG, which needs no other size, and for a video without frame.
 */
export function offeredWidths(
  file: Pick<StoredFile, 'type' | 'kind' | 'width' | 'height' | 'channels' | 'isAnimated' | 'variants'>,
  { mayBeWhole }: { mayBeWhole: boolean },
): readonly OfferedWidth[] | undefined {
  const original = originalOf(file)
  if (!original || original.isAnimated || original.kind === 'svg') return undefined
  const { width: own } = original
  const smaller = ladder.filter((width) => width < own).map((width) => ({ asked: width, width }))
  const next = own <= widest ? ladder.find((width) => width >= own) : undefined
  const offered = next === undefined || !mayBeWhole ? smaller : [...smaller, { asked: next, width: own }]
  return offered.length > 0 ? offered : undefined
}
