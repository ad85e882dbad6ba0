import { createRequire } from 'node:module'
import { FFMPEG_PACKAGE } from '../../src/imaging/video/find-ffmpeg.ts'

/**
 * Makes a video with FFmpeg's libraries, from those of the program's words that our tests use, so that no program has to be on
 * the machine. Run by Node in a process of its own: PATH WORD….
 */

// The module's own types come with node-av's JavaScript, which is not installed.
const av: any = createRequire(import.meta.url)(`${FFMPEG_PACKAGE}/node-av.node`)
av.Log.setLevel(16)

const SEARCH_CHILDREN = 1
const GLOBAL_HEADER = { format: 0x40, codec: 1 << 22 }
const VIDEO = 0
const DISPLAY_MATRIX = 5
/** A packet that tells no time has an earlier one. */
const FIRST_TIME = -(2n ** 62n)
const DEFAULT_CODECS: Record<string, string> = { webm: 'libvpx-vp9', avi: 'mpeg4' }

interface Input {
  url: string
  format: string | undefined
  rotation: number | undefined
}

interface Recipe {
  inputs: Input[]
  graphs: string[]
  options: [name: string, value: string][]
}

interface Track {
  /** Fills in the stream of the output, and tells by which clock its packets run. */
  describe(stream: any): { num: number; den: number }
  packets(): Generator<any>
}

const [, , path = '', ...words] = process.argv
write(path, recipeOf(words))

function recipeOf(words: readonly string[]): Recipe {
  const recipe: Recipe = { inputs: [], graphs: [], options: [] }
  let pending: [string, string][] = []
  for (let at = 0; at < words.length; ) {
    const name = (words[at++] ?? '').slice(1)
    if (name === 'shortest') {
      pending.push([name, '1'])
      continue
    }
    const value = words[at++] ?? ''
    if (name === 'i') {
      const told = Object.fromEntries(pending)
      const rotation = told.display_rotation === undefined ? undefined : Number(told.display_rotation)
      recipe.inputs.push({ url: value, format: told.f, rotation })
      pending = []
    } else if (name === 'filter_complex') recipe.graphs.push(value)
    else pending.push([name, value])
  }
  recipe.options = pending
  return recipe
}

function write(path: string, recipe: Recipe): void {
  const { options } = recipe
  const format = options.find(([name]) => name === 'f')?.[1] ?? null
  const output = new av.FormatContext()
  check('output', output.allocOutputContext2(null, format, path))
  const hasGlobalHeader = (output.oformat.flags & GLOBAL_HEADER.format) !== 0
  const used = new Set(['f', 'c', 'c:v', 'c:a', 'shortest', 'map', 'metadata', 'vf', 'ss', 'pix_fmt'])
  const tracks = tracksOf(recipe, { path, hasGlobalHeader, used })
  const clocks = tracks.map((track) => {
    const stream = output.newStream(null)
    const timeBase = track.describe(stream)
    stream.timeBase = timeBase
    return { stream, timeBase }
  })
  describe(output, options, used)
  for (const [name, value] of options) {
    if (used.has(name)) continue
    check(`-${name} ${value}`, av.Option.set(output, name, value, SEARCH_CHILDREN))
  }
  check('open', output.openOutputSync())
  check('header', output.writeHeaderSync(null))
  const isShortest = options.some(([name]) => name === 'shortest')
  for (const { packet, track } of inOrder(tracks, clocks, isShortest)) {
    packet.streamIndex = track
    packet.rescaleTs(clocks[track]?.timeBase, output.streams[track].timeBase)
    check('packet', output.interleavedWriteFrameSync(packet))
  }
  check('trailer', output.writeTrailerSync())
  output.closeOutputSync()
}

/** Texts about the video and about single streams. */
function describe(output: any, options: Recipe['options'], used: Set<string>): void {
  const ofFilm = options.filter(([name]) => name === 'metadata').map(([, text]) => text)
  if (ofFilm.length > 0) output.metadata = texts(ofFilm)
  for (const [name, text] of options) {
    const [, index] = /^metadata:s:(\d+)$/.exec(name) ?? []
    if (index === undefined) continue
    used.add(name)
    output.streams[Number(index)].metadata = texts([text])
  }
}

function texts(pairs: readonly string[]): any {
  const dictionary = new av.Dictionary()
  dictionary.alloc()
  for (const pair of pairs) {
    const at = pair.indexOf('=')
    dictionary.set(pair.slice(0, at), pair.slice(at + 1), 0)
  }
  return dictionary
}

/** Packets of all tracks by their time, as a muxer wants them. */
function* inOrder(tracks: readonly Track[], clocks: readonly { timeBase: any }[], isShortest: boolean) {
  const sources = tracks.map((track) => track.packets())
  const next = sources.map((source) => source.next())
  const timeOf = (track: number) => {
    const { num, den } = clocks[track]?.timeBase ?? { num: 1, den: 1 }
    const { done, value } = next[track] ?? { done: true }
    if (done) return Number.POSITIVE_INFINITY
    return (Number(value.dts) * num) / den
  }
  for (;;) {
    const times = tracks.map((_, track) => timeOf(track))
    const track = times.indexOf(Math.min(...times))
    const { done, value } = next[track] ?? { done: true }
    if (done || (isShortest && next.some((each) => each.done))) return
    yield { packet: value, track }
    const source = sources[track]
    if (source) next[track] = source.next()
  }
}

interface Making {
  path: string
  hasGlobalHeader: boolean
  /** Names of options that something has taken. */
  used: Set<string>
}

function tracksOf({ inputs, graphs, options }: Recipe, making: Making): Track[] {
  const filtersFor = (type: string) => {
    const told = options.filter(([name]) => name === `${type}f`).map(([, value]) => value)
    const start = options.find(([name]) => name === 'ss')?.[1]
    return type === 'v' && start !== undefined
      ? [...told, `trim=start=${start}`, 'setpts=PTS-STARTPTS']
      : told
  }
  const encoded = (graph: string) => {
    const type = /^(?:sine|anullsrc|aevalsrc)/.test(graph) ? 'a' : 'v'
    return encodedTrack([graph, ...filtersFor(type)].join(','), type, options, making)
  }
  return [
    ...graphs.map(encoded),
    ...inputs.flatMap((input) =>
      input.format === 'lavfi' ? [encoded(input.url)] : copiedTracks(input, options, making),
    ),
  ]
}

/** What a graph of filters draws or sounds, encoded. */
function encodedTrack(graph: string, type: 'a' | 'v', options: Recipe['options'], making: Making): Track {
  const extension = making.path.split('.').at(-1) ?? ''
  const told = options.find(([name]) => name === `c:${type}`)?.[1]
  making.used.add(`c:${type}`)
  const name = told ?? (type === 'a' ? 'aac' : (DEFAULT_CODECS[extension] ?? 'libx264'))
  const codec = av.Codec.findEncoderByName(name)
  if (codec === null) throw new Error(`There is no encoder ${name}.`)
  const pixels = options.find(([key]) => key === 'pix_fmt')?.[1]
  const sink = type === 'v' ? pictureSink(graph, codec, pixels) : soundSink(graph, codec)
  const encoder = new av.CodecContext()
  encoder.allocContext3(codec)
  Object.assign(encoder, sink.shape)
  if (making.hasGlobalHeader) encoder.flags |= GLOBAL_HEADER.codec
  encoder.threadCount = 2
  for (const [key, value] of options) {
    const [option = '', only] = key.split(':')
    const isMine = only === undefined || only === type
    if (['f', 'c', 'tag', 'metadata', 'shortest', 'map', 'ss', 'vf', 'pix_fmt'].includes(option) || !isMine)
      continue
    if (av.Option.set(encoder, option, value, SEARCH_CHILDREN) >= 0) making.used.add(key)
  }
  check(name, encoder.open2Sync(codec, null))
  sink.setFrameSize(encoder.frameSize)
  const tag = options.find(([key]) => key === `tag:${type}`)?.[1]
  making.used.add(`tag:${type}`)
  return {
    describe(stream) {
      check('parameters', stream.codecpar.fromContext(encoder))
      if (tag !== undefined) stream.codecpar.codecTag = Buffer.from(tag, 'latin1').readUInt32LE()
      if (type === 'v') stream.avgFrameRate = sink.shape.framerate
      return encoder.timeBase
    },
    *packets() {
      for (let isOver = false; !isOver; ) {
        const frame = sink.next()
        isOver = frame === undefined
        if (frame !== undefined && type === 'v') frame.pictType = 0
        check('encode', encoder.sendFrameSync(frame ?? null))
        yield* drained(encoder)
      }
    },
  }
}

function* drained(encoder: any): Generator<any> {
  for (;;) {
    const packet = new av.Packet()
    packet.alloc()
    if (encoder.receivePacketSync(packet) < 0) return
    yield packet
  }
}

function pictureSink(graph: string, codec: any, pixels: string | undefined) {
  const wanted = pixels ?? av.avGetPixFmtName((codec.pixelFormats ?? [0])[0])
  const { sink, next } = openGraph(`${graph},format=${wanted}`, 'buffersink')
  const shape = {
    width: sink.buffersinkGetWidth(),
    height: sink.buffersinkGetHeight(),
    pixelFormat: sink.buffersinkGetFormat(),
    timeBase: sink.buffersinkGetTimeBase(),
    framerate: sink.buffersinkGetFrameRate(),
    sampleAspectRatio: sink.buffersinkGetSampleAspectRatio(),
    colorRange: sink.buffersinkGetColorRange(),
    colorSpace: sink.buffersinkGetColorspace(),
  }
  return { shape, next, setFrameSize: () => undefined }
}

function soundSink(graph: string, codec: any) {
  const rates: number[] = codec.supportedSamplerates ?? [44_100]
  const rate = rates.includes(44_100) ? 44_100 : 48_000
  const format = av.avGetSampleFmtName((codec.sampleFormats ?? [1])[0])
  const shaped = `${graph},aformat=sample_fmts=${format}:sample_rates=${rate}:channel_layouts=mono`
  // How long its frames must be is known when the encoder is open.
  let opened = openGraph(shaped, 'abuffersink')
  const { sink } = opened
  const shape = {
    sampleRate: rate,
    sampleFormat: sink.buffersinkGetFormat(),
    timeBase: { num: 1, den: rate },
    channelLayout: sink.buffersinkGetChannelLayout(),
    framerate: { num: 0, den: 1 },
  }
  const setFrameSize = (samples: number) => {
    if (samples > 0) opened = openGraph(`${shaped},asetnsamples=n=${samples}:p=0`, 'abuffersink')
  }
  return { shape, next: () => opened.next(), setFrameSize }
}

function openGraph(filters: string, kind: string) {
  const graph = new av.FilterGraph()
  graph.alloc()
  const sink = graph.createFilter(av.Filter.getByName(kind), 'sink', null)
  const end = new av.FilterInOut()
  end.alloc()
  Object.assign(end, { name: 'end', filterCtx: sink, padIdx: 0 })
  check(filters, graph.parsePtr(`${filters}[end]`, end, null))
  check(filters, graph.configSync())
  const next = () => {
    const frame = new av.Frame()
    frame.alloc()
    return sink.buffersinkGetFrameSync(frame) < 0 ? undefined : frame
  }
  // The graph goes with the function, which keeps it.
  return { graph, sink, next }
}

/** Streams of a file as they are, each read for itself. */
function copiedTracks(input: Input, options: Recipe['options'], making: Making): Track[] {
  const tag = options.find(([key]) => key === 'tag:d')?.[1]
  for (const name of ['tag:d', 'c:d']) making.used.add(name)
  return openInput(input).streams.map((stream: any) => copiedTrack(input, stream.index, tag))
}

function copiedTrack(input: Input, index: number, tag: string | undefined): Track {
  const reader = openInput(input)
  const from = reader.streams[index]
  return {
    describe(stream) {
      check('parameters', from.codecpar.copy(stream.codecpar))
      stream.codecpar.codecTag = tag === undefined ? 0 : Buffer.from(tag, 'latin1').readUInt32LE()
      const isTurned = input.rotation !== undefined && from.codecpar.codecType === VIDEO
      if (isTurned) stream.codecpar.addCodedSideData(DISPLAY_MATRIX, turned(input.rotation ?? 0))
      return from.timeBase
    },
    *packets() {
      for (;;) {
        const packet = new av.Packet()
        packet.alloc()
        if (reader.readFrameSync(packet) < 0) return
        if (packet.streamIndex !== index) continue
        if (packet.dts < FIRST_TIME) Object.assign(packet, { pts: 0n, dts: 0n })
        yield packet
      }
    },
  }
}

function openInput({ url, format }: Input): any {
  const reader = new av.FormatContext()
  check(url, reader.openInputSync(url, format ? av.InputFormat.findInputFormat(format) : null, null))
  if (format !== 'data') check(url, reader.findStreamInfoSync(null))
  return reader
}

/** Counter-clockwise, as the program's option has it. */
function turned(degrees: number): Buffer {
  const [cosine, sine] = [Math.cos((degrees * Math.PI) / 180), Math.sin((degrees * Math.PI) / 180)]
  const matrix = Buffer.alloc(36)
  const entries = [cosine, -sine, 0, sine, cosine, 0].map((value) => Math.round(value * 65_536))
  for (const [index, value] of [...entries, 0, 0, 2 ** 30].entries()) matrix.writeInt32LE(value, index * 4)
  return matrix
}

function check(step: string, code: unknown): void {
  if (typeof code === 'number' && code < 0) throw new Error(`${step}: ${av.FFmpegError.strerror(code)}`)
}
