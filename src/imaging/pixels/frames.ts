import { openPicture } from './libvips.ts'

/** Decodes an animation to its last frame, which no version is made from, to see that it can be. */
export async function decodeEveryFrame(path: string, maxPixels: number): Promise<void> {
  // One pixel is kept of each frame; to get at it the frame has to be decoded.
  const corner = { left: 0, top: 0, width: 1, height: 1 }
  await openPicture(path, maxPixels, { pages: -1 }).extract(corner).raw().toBuffer()
}
