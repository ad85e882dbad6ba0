import sharp from 'sharp'

export interface Photo {
  width: number
  height: number
}

/** The least that makes thumb and medium: one decode, and both from its pixels. */
export async function makeBare(path: string): Promise<void> {
  const picture = sharp(path, { failOn: 'error' }).autoOrient().resize({ width: 500 }).raw()
  const { data, info } = await picture.toBuffer({ resolveWithObject: true })
  const raw = { width: info.width, height: info.height, channels: info.channels as 3 }
  await Promise.all([
    sharp(data, { raw }).jpeg({ quality: 85 }).toFile(`${path}.medium.jpeg`),
    sharp(data, { raw }).resize(320, 320).jpeg({ quality: 85 }).toFile(`${path}.thumb.jpeg`),
  ])
}

/** Large soft shapes and fine grain, which compress about as well as a photograph. */
export async function drawPhoto(path: string, { width, height }: Photo): Promise<void> {
  const noise = (mean: number, sigma: number) => ({ type: 'gaussian', mean, sigma }) as const
  const create = { channels: 3, background: '#888' } as const
  const shapes = await sharp({
    create: { ...create, width: width / 16, height: Math.ceil(height / 16), noise: noise(128, 60) },
  })
    .blur(1.2)
    .png()
    .toBuffer()
  const grain = await sharp({ create: { ...create, width, height, noise: noise(128, 25) } })
    .png({ compressionLevel: 1 })
    .toBuffer()
  await sharp(await sharp(shapes).resize(width, height, { fit: 'fill' }).png().toBuffer())
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg({ quality: 88 })
    .toFile(path)
}
