import { JPEG_QUALITY } from '../frame-rules.ts'
import { allocated, checked, type Frame, type Libav, present } from './libav.ts'

// Constants of FFmpeg's headers: AV_CODEC_FLAG_QSCALE, AV_CODEC_FLAG_BITEXACT, AVCOL_RANGE_JPEG, AV_PICTURE_TYPE_I, FF_QP2LAMBDA.
const FIXED_QUALITY = 0x2
const NO_VERSION_INSIDE = 0x80_0000
const FULL_RANGE = 2
const WHOLE_PICTURE = 1
const LAMBDA_PER_QUALITY = 118

export function encodeJpeg(libav: Libav, frame: Frame, stack: DisposableStack): Buffer {
  const codec = present(libav.Codec.findEncoderByName('mjpeg'), 'encoder mjpeg')
  const encoder = stack.use(new libav.CodecContext())
  encoder.allocContext3(codec)
  Object.assign(encoder, {
    width: frame.width,
    height: frame.height,
    pixelFormat: frame.format,
    colorRange: FULL_RANGE,
    timeBase: { num: 1, den: 1 },
    threadCount: 1,
    flags: FIXED_QUALITY | NO_VERSION_INSIDE,
    globalQuality: JPEG_QUALITY * LAMBDA_PER_QUALITY,
  })
  checked(libav, 'JPEG', encoder.open2Sync(codec, null))
  Object.assign(frame, { pts: 0n, quality: encoder.globalQuality, pictType: WHOLE_PICTURE })
  checked(libav, 'JPEG', encoder.sendFrameSync(frame))
  checked(libav, 'JPEG', encoder.sendFrameSync(null))
  const packet = allocated(stack, libav.Packet)
  checked(libav, 'JPEG', encoder.receivePacketSync(packet))
  return present(packet.data, 'bytes in a JPEG')
}
