import type { Edit } from '../../containers/edits.ts'

/** A part of data that is split over several segments. */
export interface Part {
  at: number
  data: Buffer
}

/** Joins the parts, changes the data, and splits it again; each part keeps its offset and length. */
export function editJoined(parts: readonly Part[], change: (whole: Buffer) => Buffer | undefined): Edit[] {
  const changed = change(Buffer.concat(parts.map(({ data }) => data)))
  if (changed === undefined) return []
  let done = 0
  return parts.flatMap(({ at, data }) => {
    const part = changed.subarray(done, done + data.length)
    done += data.length
    return part.equals(data) ? [] : [{ start: at, end: at + data.length, bytes: part }]
  })
}
