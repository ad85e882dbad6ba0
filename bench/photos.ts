import sharp from 'sharp'

export interface Photo {
  width: number
  height: number
  /** With the camera's metadata and a location, which an upload removes. */
  isLocated?: boolean
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
export async function drawPhoto(path: string, { width, height, isLocated = false }: Photo): Promise<void> {
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
  const picture = sharp(await sharp(shapes).resize(width, height, { fit: 'fill' }).png().toBuffer())
    .composite([{ input: grain, blend: 'soft-light' }])
    .jpeg({ quality: 88 })
  await (isLocated ? picture.withExif(CAMERA) : picture).toFile(path)
}

/** About as much as a phone writes. */
const CAMERA = {
  IFD0: { Make: 'Bench', Model: 'Camera 12', Software: '1.0', DateTime: '2026:11:16 10:20:30' },
  IFD2: {
    DateTimeOriginal: '2026:11:16 10:20:30',
    OffsetTimeOriginal: '+01:00',
    ExposureTime: '1/250',
    FNumber: '18/10',
    ISOSpeedRatings: '64',
    FocalLength: '57/10',
    LensModel: 'Bench camera 5.7mm f/1.8',
  },
  IFD3: {
    GPSLatitudeRef: 'N',
    GPSLatitude: '52/1 31/1 1234/100',
    GPSLongitudeRef: 'E',
    GPSLongitude: '13/1 24/1 5678/100',
    GPSAltitudeRef: '0',
    GPSAltitude: '34/1',
  },
}
