import { ratioOfShape, shapeAt } from '../../../src/common/shapes.ts'

const ratios = Float64Array.from({ length: 91 }, (_, shape) => ratioOfShape(shape))

const ratioAt = (shapes: string, index: number): number => ratios[shapeAt(shapes, index)] ?? 1

export interface Measures {
  width: number
  rowHeight: number
  gap: number
}

export interface Box {
  left: number
  top: number
  width: number
  height: number
}

interface Row {
  start: number
  top: number
  height: number
}

/** Rows of equal width, each picture in its own shape: the same rows as the stylesheet makes of the page without script. */
export class Layout {
  readonly measures: Measures
  #shapes = ''
  #rows: Row[] = []

  constructor(measures: Measures, shapes = '') {
    this.measures = measures
    if (shapes !== '') this.add(shapes)
  }

  get count(): number {
    return this.#shapes.length
  }

  get height(): number {
    const last = this.#rows.at(-1)
    return last ? last.top + last.height : 0
  }

  /** Adds a block. The last row may grow, so it is laid out again. */
  add(shapes: string): void {
    this.#shapes += shapes
    const { width, rowHeight, gap } = this.measures
    const open = this.#rows.pop()
    let { start, top } = open ?? { start: 0, top: 0 }
    let used = 0
    for (let index = start; index < this.#shapes.length; index += 1) {
      const wanted = ratioAt(this.#shapes, index) * rowHeight
      const gaps = (index - start) * gap
      if (index > start && used + wanted + gaps > width) {
        const height = (rowHeight * (width - gaps + gap)) / used
        this.#rows.push({ start, top, height })
        top += height + gap
        start = index
        used = 0
      }
      used += wanted
    }
    // The last row keeps its height, unless a single wide picture does not fit.
    if (start < this.#shapes.length)
      this.#rows.push({ start, top, height: Math.min(rowHeight, (rowHeight * width) / used) })
  }

  again(measures: Measures): Layout {
    return new Layout(measures, this.#shapes)
  }

  rowOf(index: number): number {
    return this.#last(({ start }) => start <= index)
  }

  rowAt(top: number): number {
    return this.#last((row) => row.top <= top)
  }

  /** The last row for which the condition holds; it holds for a first part of the rows. */
  #last(holds: (row: Row) => boolean): number {
    let [low, high] = [0, this.#rows.length - 1]
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const row = this.#rows[middle]
      if (row && holds(row)) low = middle
      else high = middle - 1
    }
    return low
  }

  /** The first file of a row and the first one after it. */
  filesOf(row: number): [start: number, end: number] {
    const start = this.#rows[row]?.start ?? 0
    return [start, this.#rows[row + 1]?.start ?? this.#shapes.length]
  }

  topOf(index: number): number {
    return this.#rows[this.rowOf(index)]?.top ?? 0
  }

  boxesOf(row: number): Box[] {
    const { top, height } = this.#rows[row] ?? { top: 0, height: 0 }
    const [start, end] = this.filesOf(row)
    let left = 0
    return Array.from({ length: end - start }, (_, at) => {
      const width = ratioAt(this.#shapes, start + at) * height
      const box = { left, top, width, height }
      left += width + this.measures.gap
      return box
    })
  }

  /** The file above or below another one, by the middle of both. */
  beside(index: number, rows: 1 | -1): number {
    const row = this.rowOf(index)
    const [start] = this.filesOf(row)
    const box = this.boxesOf(row)[index - start]
    const other = row + rows
    if (!box || other < 0 || other >= this.#rows.length) return index
    const middle = box.left + box.width / 2
    const boxes = this.boxesOf(other)
    const at = boxes.findIndex(({ left, width }) => middle <= left + width + this.measures.gap)
    return this.filesOf(other)[0] + (at === -1 ? boxes.length - 1 : at)
  }
}
