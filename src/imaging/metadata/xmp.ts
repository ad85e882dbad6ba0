/** Names of properties that tell a place: those of Exif, of drones ("GpsLongtitude"), and of the geo vocabulary. */
const IS_LOCATION = /^(?:geo:(?:lat|long|alt|lat_long)|[\w.-]+:(?:gps[\w.-]*|latitude|longt?itude))$/i

const OPENING = /<([\w.-]+:[\w.-]+)((?:[^<>"']|"[^"]*"|'[^']*')*)>/g
const ATTRIBUTE = /\s([\w.-]+:[\w.-]+)\s*=\s*(?:"[^"]*"|'[^']*')/g
/** A tag or an attribute by its looks alone. */
const PROPERTY = /<([\w.-]+:[\w.-]+)|\s([\w.-]+:[\w.-]+)\s*=/g

export const isLocationName = (name: string): boolean => IS_LOCATION.test(name)

/** The same packet, of the same length, with spaces where it told a location; undefined when it told none. */
export function withoutXmpLocation(packet: Buffer): Buffer | undefined {
  // One character per byte: the names looked for are ASCII, and everything else keeps its place.
  const text = packet.toString('latin1')
  if (isWide(text)) return mayTellLocation(text.replaceAll('\0', '')) ? spaces(packet.length) : undefined
  if (!mayTellLocation(text)) return undefined
  const cleaned = blankProperties(text)
  // What is not well-formed hides its properties from us, but not from every reader.
  if (hasLocation(cleaned)) return spaces(packet.length)
  return cleaned === text ? undefined : Buffer.from(cleaned, 'latin1')
}

/** A packet of that length that says nothing, for places that cannot shrink. */
export function emptyXmp(length: number): Buffer {
  const packet = spaces(length)
  const empty = '<x:xmpmeta xmlns:x="adobe:ns:meta/"/>'
  if (length >= empty.length) packet.write(empty, 'latin1')
  return packet
}

const mayTellLocation = (text: string) => /gps|latitude|longt?itude|geo:/i.test(text)

const hasLocation = (text: string) =>
  text.matchAll(PROPERTY).some(([, tag, attribute]) => isLocationName(tag ?? attribute ?? ''))

/** UTF-16 or UTF-32, which may be used but hardly ever is. */
const isWide = (text: string) => text.slice(0, 64).includes('\0')

function blankProperties(text: string): string {
  let cleaned = ''
  let done = 0
  for (const match of text.matchAll(OPENING)) {
    const [tag, name = '', attributes = ''] = match
    if (match.index < done) continue
    if (!isLocationName(name)) {
      const kept = attributes.replace(ATTRIBUTE, (attribute, attributeName: string) =>
        isLocationName(attributeName) ? ' '.repeat(attribute.length) : attribute,
      )
      if (kept === attributes) continue
      cleaned += `${text.slice(done, match.index)}<${name}${kept}>`
      done = match.index + tag.length
      continue
    }
    const end = attributes.endsWith('/') ? match.index + tag.length : endOfElement(text, name, match.index)
    cleaned += text.slice(done, match.index) + ' '.repeat(end - match.index)
    done = end
  }
  return cleaned + text.slice(done)
}

/** An element that is never closed takes the rest of the packet with it. */
function endOfElement(text: string, name: string, from: number): number {
  const closing = text.indexOf(`</${name}`, from)
  const end = closing === -1 ? -1 : text.indexOf('>', closing)
  return end === -1 ? text.length : end + 1
}

const spaces = (length: number) => Buffer.alloc(length, ' ')
