/** The baseline of an upload: thumb and medium of a picture, as often as it is requested. */
import sharp from 'sharp'
import { makeBare } from '../photos.ts'

sharp.cache(false)
sharp.concurrency(1)
process.on('message', async ({ path, times }: { path: string; times: number }) => {
  for (let time = 0; time < times; time += 1) await makeBare(path)
  process.send?.('done')
})
process.on('disconnect', () => process.exit())
