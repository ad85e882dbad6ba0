/**
 * The ratio of a file as one printable character: 90 steps from 0.4 to 4 on a log scale, so that neighbours differ by 2.6 %.
 * Stylesheet, server and grid share it: `.r0` to `.r90` in `web/parts/lists/shapes.css`.
 */
const [least, most, steps] = [0.4, 4, 90]
const perStep = Math.log(most / least) / steps

/** 0 to 90. Wider and taller files are cut to the last step. */
export function shapeOf({ width, height }: { width: number; height: number }): number {
  const ratio = Math.min(most, Math.max(least, width / height || 1))
  return Math.round(Math.log(ratio / least) / perStep)
}

/** Printable ASCII from `#` on without the backslash, so that JSON needs one byte for each. */
export const shapeCharacter = (shape: number): string =>
  String.fromCharCode(shape < 57 ? 35 + shape : 36 + shape)

export const ratioOfShape = (shape: number): number => least * Math.exp(shape * perStep)

/** The shape that a character of a list stands for. */
export function shapeAt(shapes: string, index: number): number {
  const code = shapes.charCodeAt(index)
  return code < 92 ? code - 35 : code - 36
}
