import sharp from 'sharp'

export interface Drawing {
  name: string
  width: number
  height: number
  colour: string
}

/** Sun and hills, with the camera's metadata. */
export function draw({ width, height, colour }: Drawing): Promise<Buffer> {
  const hill = (y: number, fill: string) =>
    `<path d="M0 ${y}c200 20 260-90 500-90s300 80 500 40v800H0z" fill="${fill}" fill-opacity=".8"/>`
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 1000 700" preserveAspectRatio="xMidYMid slice"><rect width="1000" height="700" fill="${colour}"/><circle cx="300" cy="240" r="70" fill="#f3dcb0"/>${hill(400, '#8a8577')}${hill(480, '#54707a')}${hill(560, '#35556b')}</svg>`
  const camera = { Make: 'FUJIFILM', Model: 'X-T5', Artist: 'Ada Lindqvist' }
  return sharp(Buffer.from(svg))
    .withExif({ IFD0: camera, IFD2: { ExposureTime: '1/250', FNumber: '28/10', FocalLength: '35/1' } })
    .jpeg({ quality: 88 })
    .toBuffer()
}
