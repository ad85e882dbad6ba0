import { type Bytes, openBytes } from '../containers/bytes.ts'
import { type Edit, withoutOverlaps, writeEdited } from '../containers/edits.ts'
import type { MetadataPolicy } from '../kinds/kind.ts'
import { readTree } from './box-tree.ts'
import { moveToFront, needsMove } from './fast-start.ts'
import { readLayout } from './movie-layout.ts'
import { stripHeader, stripOuter } from './strip-movie.ts'
import { stripWebm } from './strip-webm.ts'

export interface RewriteOptions {
  kind: 'mp4' | 'mov' | 'webm'
  policy: MetadataPolicy
}

export type Rewritten = { isUnchanged: true } | { isUnchanged: false; sizeBytes: number; md5: string }

/** Moves the movie header to the front and takes metadata out. Samples are never encoded anew; without a change nothing is written. */
export function rewriteMovie(inputPath: string, outputPath: string, options: RewriteOptions): Rewritten {
  using bytes = openBytes(inputPath)
  const edits = planRewrite(bytes, options)
  if (edits.length === 0) return { isUnchanged: true }
  const { sizeBytes, md5 } = writeEdited(bytes, edits, outputPath)
  return { isUnchanged: false, sizeBytes, md5 }
}

/** The edits, in order; only what describes the movie is held in memory for them. */
export function planRewrite(bytes: Bytes, { kind, policy }: RewriteOptions): Edit[] {
  if (kind !== 'webm') return withoutOverlaps(planMovie(bytes, policy))
  return policy === 'keep' ? [] : withoutOverlaps(stripWebm(bytes, policy))
}

function planMovie(bytes: Bytes, policy: MetadataPolicy): Edit[] {
  const layout = readLayout(bytes)
  const isLate = needsMove(layout)
  if (policy === 'keep' && !isLate) return []

  const headers = layout.boxes.filter(({ type }) => type === 'moov')
  const trees = headers.map((header) => readTree(bytes, header))
  const edits =
    policy === 'keep'
      ? []
      : [
          ...stripOuter(bytes, layout, trees, policy),
          ...trees.flatMap((tree) => stripHeader(bytes, layout, tree, policy)),
        ]
  const [first] = trees
  const move = isLate && first !== undefined ? moveToFront(bytes, layout, first) : undefined
  if (move !== undefined) return [...move, ...edits]
  const changed = headers.flatMap(({ start, end }, index) => {
    const tree = trees[index]
    return tree?.isChanged === true ? [{ start, end, bytes: tree.bytes }] : []
  })
  return [...changed, ...edits]
}
