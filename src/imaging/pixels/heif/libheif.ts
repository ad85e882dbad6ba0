import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { notDecodable } from '../../errors.ts'
import type { RawPixels } from '../raw-pixels.ts'

/** The part of libheif's API that is used; the package declares these functions as "any". */
interface Libheif {
  heif_context_alloc(): object
  heif_context_free(context: object): void
  heif_context_read_from_memory(context: object, file: Uint8Array): HeifFault
  heif_js_context_get_primary_image_handle(context: object): object | HeifFault
  heif_image_handle_has_alpha_channel(handle: object): number
  heif_image_handle_release(handle: object): void
  heif_js_decode_image2(handle: object, colours: unknown, layout: unknown): HeifPicture | HeifFault
  heif_image_release(image: object): void
  heif_error_code: { heif_error_Ok: unknown }
  heif_colorspace: { heif_colorspace_RGB: unknown }
  heif_chroma: { heif_chroma_interleaved_RGB: unknown; heif_chroma_interleaved_RGBA: unknown }
}

interface HeifFault {
  code: unknown
  message: string
}

interface HeifPicture {
  image: object
  channels: { data: Uint8Array; stride: number; width: number; height: number }[]
}

let loaded: Libheif | undefined

/** Decodes the primary picture, upright. The pixels are in libheif's memory and valid only during `use`. */
export async function withHeicPixels<T>(file: Buffer, use: (pixels: RawPixels) => Promise<T>): Promise<T> {
  try {
    return await decode(loadLibheif(), file, use)
  } catch (error) {
    // After an error its WebAssembly memory is in an unknown state, so the next picture loads a new instance.
    loaded = undefined
    throw error
  }
}

async function decode<T>(libheif: Libheif, file: Buffer, use: (pixels: RawPixels) => Promise<T>): Promise<T> {
  const context = libheif.heif_context_alloc()
  const { code, message } = libheif.heif_context_read_from_memory(context, file)
  if (code !== libheif.heif_error_code.heif_error_Ok) throw notDecodable(message)
  const handle = libheif.heif_js_context_get_primary_image_handle(context)
  if (isFault(handle)) throw notDecodable(handle.message)

  const hasAlpha = libheif.heif_image_handle_has_alpha_channel(handle) !== 0
  const { heif_chroma_interleaved_RGB: rgb, heif_chroma_interleaved_RGBA: rgba } = libheif.heif_chroma
  const colours = libheif.heif_colorspace.heif_colorspace_RGB
  const picture = libheif.heif_js_decode_image2(handle, colours, hasAlpha ? rgba : rgb)
  if (isFault(picture)) throw notDecodable(picture.message)
  const [plane] = picture.channels
  if (plane === undefined) throw notDecodable('no pixels')
  const channels = hasAlpha ? 4 : 3
  const data = withoutPadding(plane, plane.width * channels)
  const result = await use({ data, width: plane.width, height: plane.height, channels })
  libheif.heif_image_release(picture.image)
  libheif.heif_image_handle_release(handle)
  libheif.heif_context_free(context)
  return result
}

function loadLibheif(): Libheif {
  if (loaded !== undefined) return loaded
  const require = createRequire(import.meta.url)
  // The package's own entry looks for the .wasm file in the working directory.
  const wasmBinary = readFileSync(require.resolve('libheif-js/libheif-wasm/libheif.wasm'))
  const factory = require('libheif-js/libheif-wasm/libheif.js') as (options: object) => Libheif
  loaded = factory({ wasmBinary, print: () => {}, printErr: () => {} })
  return loaded
}

const isFault = (answer: object): answer is HeifFault => 'code' in answer && 'message' in answer

function withoutPadding(
  { data, stride, height }: HeifPicture['channels'][number],
  rowBytes: number,
): Uint8Array {
  if (stride === rowBytes) return data.subarray(0, rowBytes * height)
  const packed = Buffer.allocUnsafe(rowBytes * height)
  for (let row = 0; row < height; row++)
    packed.set(data.subarray(row * stride, row * stride + rowBytes), row * rowBytes)
  return packed
}
