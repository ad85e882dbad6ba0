import type { ImagingSettings } from '../imaging-options.ts'
import { type Confinement, checkRuns, confineProgram } from '../sandbox/confinement.ts'
import { sandboxOfProgram } from '../sandbox/inner-sandbox.ts'
import { type Ffmpeg, findFfmpeg } from './find-ffmpeg.ts'
import type { FrameTool } from './program/take-frame.ts'

/** A frame is one JPEG; a larger file is a fault of FFmpeg. */
const MAX_FRAME_BYTES = 50_000_000

/** Finds FFmpeg and its sandbox; undefined if this machine has no FFmpeg. `ofDecoders` is the sandbox of decoder processes. */
export async function findFrameTool(
  settings: ImagingSettings,
  ofDecoders: () => Promise<Confinement>,
): Promise<Omit<FrameTool, 'signal'> | undefined> {
  const ffmpeg = await findFfmpeg(settings.ffmpeg)
  if (ffmpeg === undefined) {
    settings.onNoFfmpeg()
    return undefined
  }
  return {
    ffmpeg,
    // A decoder process loads the library, so the library runs in the decoder's sandbox.
    confinement: ffmpeg.from === 'package' ? await ofDecoders() : await confine(ffmpeg, settings),
    maxSeconds: settings.maxFrameSeconds,
    maxWallSeconds: settings.maxFrameWallSeconds,
    maxMemoryBytes: settings.maxFrameMemoryBytes,
  }
}

async function confine({ path }: Ffmpeg, settings: ImagingSettings): Promise<Confinement> {
  const { maxFrameSeconds: seconds, maxFrameMemoryBytes: memoryBytes, onMissingLayers } = settings
  const confinement = await confineProgram(
    { memoryBytes, seconds, fileBytes: MAX_FRAME_BYTES },
    {
      inner: sandboxOfProgram(path),
      start: (tried) => checkRuns([...tried.prefix, path, '-version']),
    },
  )
  if (confinement.missing.length > 0) onMissingLayers(confinement.missing)
  return confinement
}
