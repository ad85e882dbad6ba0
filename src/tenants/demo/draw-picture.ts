import { promisify } from 'node:util'
import { crc32, deflate } from 'node:zlib'

/** What is drawn, and how large. */
export interface Drawing {
  width: number
  height: number
  painter: Painter
}

type Colour = readonly [red: number, green: number, blue: number]

/**
 * Paints a column of a picture whose height is 1: gets the column's place, and answers the colour of each place in it. `unit` is
 * the size of a pixel; what is nearer than that to an edge is mixed.
 */
export type Painter = (x: number, unit: number) => (y: number) => Colour

const rgb = (hex: string): Colour => {
  const value = Number.parseInt(hex, 16)
  return [value >> 16, (value >> 8) & 255, value & 255]
}

const mix = (one: Colour, two: Colour, share: number): Colour => [
  one[0] + (two[0] - one[0]) * share,
  one[1] + (two[1] - one[1]) * share,
  one[2] + (two[2] - one[2]) * share,
]

const clamped = (value: number) => Math.min(1, Math.max(0, value))

/** From 0 to 1 and gently at both ends. */
const eased = (value: number) => clamped(value) ** 2 * (3 - 2 * clamped(value))

interface Scene {
  /** Above, at the horizon. */
  sky: readonly [string, string]
  /** The farthest hill, the nearest one. */
  hills: readonly [string, string]
  sun: { x: number; y: number; size: number; colour: string }
  seed: number
  /** How high the steps of the near hills are; 0: none. */
  steps?: number
}

const layers = 7

/** Hills behind hills in the light of one hour. */
export function landscape({ sky, hills, sun, seed, steps = 0.03 }: Scene): Painter {
  const [top, horizon] = [rgb(sky[0]), rgb(sky[1])]
  const [far, near] = [rgb(hills[0]), rgb(hills[1])]
  const light = rgb(sun.colour)
  const hill = (layer: number, x: number) => {
    const depth = layer / (layers - 1)
    const wave = (frequency: number, shift: number) =>
      Math.sin(x * frequency + seed * shift + layer * 2.4 * shift)
    const height = wave(1.9, 1.3) * 0.07 + wave(4.3, 2.1) * 0.03 + wave(9.7, 3.7) * 0.012 * depth
    const edge = 0.42 + depth * 0.46 + height
    const colour = mix(mix(far, near, depth ** 0.8), horizon, 0.2 * (1 - depth))
    // Mist gathers at the foot of each hill.
    const mist = { colour: mix(horizon, near, depth), share: 0.35 * (1 - depth * 0.6) }
    return { edge: depth < 0.4 || steps === 0 ? edge : terraced(edge / steps) * steps, colour, mist }
  }
  const skyAt = (x: number, y: number, unit: number) => {
    const distance = Math.hypot(x - sun.x, y - sun.y)
    const glow = Math.exp(-((distance / (sun.size * 3.2)) ** 2)) * 0.55
    const colour = mix(mix(top, horizon, eased(y / 0.62)), light, glow)
    return mix(colour, light, clamped((sun.size - distance) / unit + 0.5))
  }
  return (x, unit) => {
    const hillsHere = Array.from({ length: layers }, (_, layer) => hill(layer, x))
    const cover = (y: number, edge: number) => clamped((y - edge) / unit + 0.5)
    return (y) => {
      const first = hillsHere.findLastIndex(({ edge }) => cover(y, edge) === 1)
      let colour = first === -1 ? skyAt(x, y, unit) : top
      for (const { edge, colour: own, mist } of hillsHere.slice(Math.max(0, first))) {
        const misty = mix(own, mist.colour, eased((y - edge) / 0.22) * mist.share)
        if (y > edge - unit) colour = mix(colour, misty, cover(y, edge))
      }
      return colour
    }
  }
}

/** Nearly level, then a short slope to the next terrace. */
const terraced = (height: number) => Math.floor(height) + eased((height % 1) * 3 - 1)

/** Steps that rise to the right, as in our mark. */
export function stairs(paper: string, from: string, to: string, count: number): Painter {
  const ground = rgb(paper)
  return (x, unit) => {
    const index = Math.floor(x * count)
    const edge = 0.9 - ((index + 1) / (count + 1)) * 0.72
    const colour = mix(rgb(from), rgb(to), index / count)
    return (y) =>
      mix(ground, mix(colour, ground, eased((y - edge) * 1.4) * 0.3), clamped((y - edge) / unit + 0.5))
  }
}

/** Rings around two stones in still water. */
export function rings(darkest: string, lightest: string): Painter {
  const [dark, light] = [rgb(darkest), rgb(lightest)]
  return (x) => (y) => {
    const ring = (left: number, top: number, scale: number) => {
      const distance = Math.hypot(x - left, y - top)
      return Math.cos(distance * scale) / (1 + distance * 2.5)
    }
    return mix(dark, light, eased(0.42 + ring(0.42, 0.6, 44) * 0.7 + ring(1.12, 0.32, 60) * 0.5))
  }
}

/** Quarter circles on a board, turned by chance. */
export function tiles(paper: string, from: string, to: string, count: number): Painter {
  const [ground, first, last] = [rgb(paper), rgb(from), rgb(to)]
  return (x, unit) => (y) => {
    const [column, row] = [Math.floor(x * count), Math.floor(y * count)]
    const chance = Math.abs(Math.sin(column * 127.1 + row * 311.7) * 43_758.5) % 1
    const [left, top] = [x * count - column, y * count - row]
    const across = chance < 0.5 ? 1 - left : left
    const corner = Math.min(Math.hypot(across, top), Math.hypot(1 - across, 1 - top))
    const cover = clamped((0.17 - Math.abs(corner - 0.5)) / (unit * count) + 0.5)
    return mix(ground, mix(first, last, eased(y * 0.7 + x * 0.3)), cover)
  }
}

/** Bands like strata of rock. */
export function strata(names: readonly string[]): Painter {
  const colours = names.map(rgb)
  return (x, unit) => (y) => {
    const bend = Math.sin(x * 3.1 + 0.6) * 0.05 + Math.sin(x * 7.3 + y * 4) * 0.018
    const level = clamped(y * 0.94 + bend + 0.03) * (colours.length - 0.01)
    const index = Math.floor(level)
    const one = colours[index] ?? [0, 0, 0]
    const two = colours[index + 1] ?? one
    const edge = clamped((level - index - 1) / (unit * colours.length) + 1)
    return mix(mix(one, two, (level - index) * 0.35), two, edge * 0.65)
  }
}

const deflated = promisify(deflate)

/** The picture as a PNG file. */
export async function drawnPng({ width, height, painter }: Drawing): Promise<Buffer> {
  const lineBytes = 1 + width * 3
  const lines = Buffer.alloc(lineBytes * height)
  for (let column = 0; column < width; column += 1) {
    // Other requests get their turn.
    if (column % 16 === 0) await new Promise(setImmediate)
    const colourAt = painter((column + 0.5) / height, 1 / height)
    for (let row = 0; row < height; row += 1)
      lines.set(colourAt((row + 0.5) / height), row * lineBytes + 1 + column * 3)
  }
  for (let row = 0; row < height; row += 1)
    subtractLeft(lines.subarray(row * lineBytes, (row + 1) * lineBytes))
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 2, 0, 0, 0], 8) // Eight bits for each of red, green and blue.
  const signature = Buffer.from([137, 80, 78, 71, 13, 10, 26, 10])
  const chunks = [chunk('IHDR', header), chunk('IDAT', await deflated(lines)), chunk('IEND', Buffer.alloc(0))]
  return Buffer.concat([signature, ...chunks])
}

/** PNG's filter 1: each byte becomes its difference to that of the pixel on its left. */
function subtractLeft(line: Buffer): void {
  for (let at = line.length - 1; at > 3; at -= 1) line[at] = (line[at] ?? 0) - (line[at - 3] ?? 0)
  line[0] = 1
}

function chunk(name: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(12 + data.length)
  framed.writeUInt32BE(data.length, 0)
  framed.write(name, 4, 'latin1')
  data.copy(framed, 8)
  framed.writeUInt32BE(crc32(framed.subarray(4, 8 + data.length)), 8 + data.length)
  return framed
}
