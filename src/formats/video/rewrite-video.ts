import { type Bytes, openBytes } from '../containers/bytes.ts'
import { type Edit, withoutOverlaps, writeEdited } from '../containers/edits.ts'
import type { IsoBox } from '../containers/iso/boxes.ts'
import type { MetadataPolicy } from '../metadata/found-metadata.ts'
import { type BoxTree, readTree } from './boxes/box-tree.ts'
import { readLayout, type VideoLayout } from './boxes/layout.ts'
import { moveToFront, needsMove } from './fast-start.ts'
import { stripHeader, stripOuter } from './strip/strip-video.ts'
import type { Strip } from './strip/user-boxes.ts'
import { stripWebm } from './webm/strip-webm.ts'

export interface RewriteOptions {
  kind: 'mp4' | 'mov' | 'webm'
  policy: MetadataPolicy
}

export type Rewritten = { isUnchanged: true } | { isUnchanged: false; sizeBytes: number; md5: string }

/** Moves the video header to the front and removes metadata. Samples are never re-encoded. If nothing changes, no file is written. */
export function rewriteVideo(inputPath: string, outputPath: string, options: RewriteOptions): Rewritten {
  using bytes = openBytes(inputPath)
  const edits = planRewrite(bytes, options)
  if (edits.length === 0) return { isUnchanged: true }
  const { sizeBytes, md5 } = writeEdited(bytes, edits, outputPath)
  return { isUnchanged: false, sizeBytes, md5 }
}

/** The sorted edits. Only the video's header is read into memory. */
export function planRewrite(bytes: Bytes, { kind, policy }: RewriteOptions): Edit[] {
  if (kind !== 'webm') return withoutOverlaps(planVideo(bytes, policy))
  return policy === 'keep' ? [] : withoutOverlaps(stripWebm(bytes, policy))
}

function planVideo(bytes: Bytes, policy: MetadataPolicy): Edit[] {
  const layout = readLayout(bytes)
  const isLate = needsMove(layout)
  if (policy === 'keep' && !isLate) return []

  const headers = headersOf(bytes, layout)
  const edits = policy === 'keep' ? [] : stripTrees(bytes, layout, headers, policy)
  const [first] = headers
  const move = isLate && first !== undefined ? moveToFront(bytes, layout, first.tree) : undefined
  return move === undefined ? [...changedHeaders(headers), ...edits] : [...move, ...edits]
}

/** Edits that remove metadata from a video inside another file: every remaining byte keeps its offset. */
export function planEmbedded(bytes: Bytes, layout: VideoLayout, policy: Strip): Edit[] {
  const headers = headersOf(bytes, layout)
  const edits = stripTrees(bytes, layout, headers, policy)
  return withoutOverlaps([...changedHeaders(headers), ...edits])
}

interface LoadedHeader {
  box: IsoBox
  tree: BoxTree
}

function headersOf(bytes: Bytes, { boxes }: VideoLayout): LoadedHeader[] {
  const headers = boxes.filter(({ type }) => type === 'moov')
  return headers.map((box) => ({ box, tree: readTree(bytes, box) }))
}

function stripTrees(
  bytes: Bytes,
  layout: VideoLayout,
  headers: readonly LoadedHeader[],
  policy: Strip,
): Edit[] {
  const trees = headers.map(({ tree }) => tree)
  return [
    ...stripOuter(bytes, layout, trees, policy),
    ...trees.flatMap((tree) => stripHeader(bytes, layout, tree, policy)),
  ]
}

const changedHeaders = (headers: readonly LoadedHeader[]): Edit[] =>
  headers.flatMap(({ box, tree }) =>
    tree.isChanged ? [{ start: box.start, end: box.end, bytes: tree.bytes }] : [],
  )
