import { createHash } from 'node:crypto'
import { createRequire } from 'node:module'
import { FFMPEG_PACKAGE } from '../../src/imaging/video/find-ffmpeg.ts'

/** Tells what FFmpeg's libraries find in a video. Run by Node in a process of its own: frames|packets|texts PATH [-OPTION VALUE]… */

// The module's own types come with node-av's JavaScript, which is not installed.
const av: any = createRequire(import.meta.url)(`${FFMPEG_PACKAGE}/node-av.node`)
av.Log.setLevel(-8)

const VIDEO = 0
const AUDIO = 1
const DISPLAY_MATRIX = 5

const [, , what = '', path = '', ...words] = process.argv
const options = new av.Dictionary()
options.alloc()
for (let at = 0; at + 1 < words.length; at += 2) options.set(words[at]?.slice(1), words[at + 1], 0)
const input = new av.FormatContext()
check('open', input.openInputSync(path, null, options))
check('read', input.findStreamInfoSync(null))

const TELLERS: Record<string, () => string[]> = { frames, packets, texts }
console.log(TELLERS[what]?.().join('\n'))

/** A line for each decoded picture and sound, and one for which way up the pictures are. */
function frames(): string[] {
  const lines: string[] = []
  const decoders = input.streams.map((stream: any) => {
    const { codecType, codecId } = stream.codecpar
    if (codecType !== VIDEO && codecType !== AUDIO) return undefined
    const matrix = stream.codecpar.getCodedSideData(DISPLAY_MATRIX)
    lines.push(`${stream.index} ${matrix?.toString('hex') ?? 'upright'}`)
    const codec = av.Codec.findDecoder(codecId)
    const decoder = new av.CodecContext()
    decoder.allocContext3(codec)
    check('parameters', decoder.parametersToContext(stream.codecpar))
    decoder.threadCount = 1
    check('decoder', decoder.open2Sync(codec, null))
    return decoder
  })
  const frame = new av.Frame()
  frame.alloc()
  const hear = (index: number) => {
    while (decoders[index].receiveFrameSync(frame) >= 0) {
      lines.push(`${index} ${frame.bestEffortTimestamp} ${sumOf(frame.toBuffer())}`)
      frame.unref()
    }
  }
  for (const packet of eachPacket()) {
    const decoder = decoders[packet.streamIndex]
    if (decoder === undefined) continue
    check('decode', decoder.sendPacketSync(packet))
    hear(packet.streamIndex)
  }
  for (const [index, decoder] of decoders.entries()) {
    if (decoder === undefined) continue
    decoder.sendPacketSync(null)
    hear(index)
  }
  if (lines.length <= decoders.length) throw new Error('Nothing in it can be decoded.')
  // Streams one after the other: how they are interleaved is no part of what is seen.
  return lines.sort((one, other) => Number.parseInt(one, 10) - Number.parseInt(other, 10))
}

/** A sum over each stream as it lies in the file. */
function packets(): string[] {
  const sums = input.streams.map(() => createHash('sha256'))
  for (const packet of eachPacket()) sums[packet.streamIndex].update(packet.data ?? Buffer.alloc(0))
  return sums.map((sum: any, index: number) => `${index} ${sum.digest('hex')}`)
}

/** Every text about the video and its streams. */
function texts(): string[] {
  const linesOf = (dictionary: any) =>
    Object.entries(dictionary?.getAll() ?? {}).map(([name, text]) => `${name}=${text}`)
  return [
    ...linesOf(input.metadata),
    ...input.streams.flatMap((stream: any) => {
      const isTurned = stream.codecpar.getCodedSideData(DISPLAY_MATRIX) !== null
      const tag = `stream ${stream.index} is tagged ${stream.codecpar.codecTagString}`
      return [tag, ...linesOf(stream.metadata), ...(isTurned ? ['rotation of the pictures'] : [])]
    }),
  ]
}

function* eachPacket(): Generator<any> {
  const packet = new av.Packet()
  packet.alloc()
  while (input.readFrameSync(packet) >= 0) {
    yield packet
    packet.unref()
  }
}

function sumOf(bytes: Buffer): string {
  return createHash('md5').update(bytes).digest('hex')
}

function check(step: string, code: number): void {
  if (code < 0) throw new Error(`${step}: ${av.FFmpegError.strerror(code)}`)
}
