import fc from 'fast-check'

/** Properties that have numbers in them and nothing to do with a place. */
export const HARMLESS = [
  '<crs:CropTop>0.123456</crs:CropTop>',
  '<crs:CropAngle>-12.345678</crs:CropAngle>',
  '<crs:ToneCurve><rdf:Seq><rdf:li>64, 56</rdf:li><rdf:li>128, 130</rdf:li></rdf:Seq></crs:ToneCurve>',
  '<crs:Dabs><rdf:Seq><rdf:li>d 51.523456 12.345678</rdf:li></rdf:Seq></crs:Dabs>',
  '<tiff:WhitePoint><rdf:Seq><rdf:li>0.312700</rdf:li><rdf:li>0.329000</rdf:li></rdf:Seq></tiff:WhitePoint>',
  '<tiff:WhitePoint><rdf:Seq><rdf:li>95.0456</rdf:li><rdf:li>100.0001</rdf:li></rdf:Seq></tiff:WhitePoint>',
  '<tiff:PrimaryChromaticities>0.6400 0.3300</tiff:PrimaryChromaticities>',
  '<exif:FocalLength>50/1</exif:FocalLength>',
  '<exif:SubjectLocation>1234 567</exif:SubjectLocation>',
  '<aux:Lens>24.0-70.0 mm f/2.8</aux:Lens>',
  '<aux:LensInfo>24/1 70/1 28/10 28/10</aux:LensInfo>',
  '<Camera:PrincipalPoint>2.322897,1.934775</Camera:PrincipalPoint>',
  '<Camera:PerspectiveDistortion>-0.2345,0.11234,-0.00123,0.0001,12.3456</Camera:PerspectiveDistortion>',
  '<hdrgm:GainMapMax><rdf:Seq><rdf:li>1.604015</rdf:li><rdf:li>1.604056</rdf:li><rdf:li>1.604018</rdf:li></rdf:Seq></hdrgm:GainMapMax>',
  '<mwg-rs:Area stArea:x="0.512345" stArea:y="0.312345" stArea:w="0.1"/>',
  '<GPano:PoseHeadingDegrees>123.456</GPano:PoseHeadingDegrees>',
  '<xmp:CreateDate>2024-05-06T07:08:09.1234+02:00</xmp:CreateDate>',
  '<xmpMM:DocumentID>xmp.did:51a8-4c0f-12.3456</xmpMM:DocumentID>',
  '<dwc:latestAgeOrHighestStage>Latdorf 33.9</dwc:latestAgeOrHighestStage>',
  '<dc:title><rdf:Alt><rdf:li xml:lang="x-default">Roses, 12 of 30, at 35 °C</rdf:li></rdf:Alt></dc:title>',
  '<photoshop:City>North End</photoshop:City>',
  '<Iptc4xmpCore:Location>Platform 9.75</Iptc4xmpCore:Location>',
  '<foo:isFlat>1.0</foo:isFlat>',
  '<foo:longName>51</foo:longName>',
] as const

const letters = (min: number, max: number) =>
  fc
    .array(fc.constantFrom(...'bcdfhjkmqrtvwz'), { minLength: min, maxLength: max })
    .map((list) => list.join(''))

/** Digits that appear nowhere else, so that finding them says something. */
export interface Planted {
  xml: string
  digits: string[]
}

interface Spot {
  latitude: string
  longitude: string
  digits: string[]
}

const spot: fc.Arbitrary<Spot> = fc
  .record({
    north: fc.integer({ min: -89, max: 89 }),
    east: fc.integer({ min: -179, max: 179 }),
    fractions: fc.tuple(fc.integer({ min: 10_001, max: 99_999 }), fc.integer({ min: 10_001, max: 99_999 })),
  })
  .filter(({ north, east }) => Math.max(Math.abs(north), Math.abs(east)) > 1)
  .map(({ north, east, fractions: [one, other] }) => ({
    latitude: `${north}.${one}73`,
    longitude: `${east}.${other}37`,
    digits: [`${one}73`, `${other}37`],
  }))

/** Names of which each says by itself that a coordinate follows. */
const NAMES = [
  ['GPSLatitude', 'GPSLongitude'],
  ['decimalLatitude', 'decimalLongitude'],
  ['GpsLatitude', 'GpsLongtitude'],
  ['lat', 'long'],
  ['lat', 'lng'],
  ['cameraLat', 'cameraLon'],
  ['verbatim-latitude', 'verbatim-longitude'],
  ['POI', 'poi'],
] as const

/** The same digits as character references, some or all of them. */
const disguised = (text: string, way: number): string =>
  way === 0
    ? text
    : text.replace(/\d/g, (digit) => {
        const code = 48 + Number(digit)
        return way === 1 ? `&#${code};` : way === 2 ? `&#x${code.toString(16)};` : digit
      })

const byName = fc
  .record({
    spot,
    names: fc.constantFrom(...NAMES),
    prefix: letters(1, 6),
    way: fc.integer({ min: 0, max: 2 }),
    form: fc.constantFrom('element', 'attribute', 'resource', 'list', 'cdata'),
    namespace: letters(3, 12),
  })
  .map(({ spot: { latitude, longitude, digits }, names: [one, other], prefix, way, form, namespace }) => {
    const [a, b] = [disguised(latitude, way), disguised(longitude, way)]
    const [p, q] = [`${prefix}:${one}`, `${prefix}:${other}`]
    const declared = `xmlns:${prefix}="http://${namespace}.example/${namespace}/"`
    const forms = {
      element: `<rdf:li ${declared}><${p}>${a}</${p}><${q}> ${b}\n</${q}></rdf:li>`,
      attribute: `<rdf:li ${declared} ${p}="${a}" ${q}='${b}'/>`,
      resource: `<${p} ${declared} rdf:parseType="Resource"><rdf:value>${a}</rdf:value><${q}>${b}</${q}></${p}>`,
      list: `<${p} ${declared}><rdf:Seq><rdf:li>${a}</rdf:li><rdf:li>${b}</rdf:li></rdf:Seq></${p}>`,
      cdata: `<rdf:li ${declared}><${p}><![CDATA[${latitude}]]></${p}><${q}>${b}</${q}></rdf:li>`,
    }
    return { xml: forms[form], digits }
  })

/** Under any name at all, but written as only coordinates are. */
const byValue = fc
  .record({
    spot,
    name: letters(2, 9),
    prefix: letters(1, 6),
    way: fc.integer({ min: 0, max: 2 }),
    value: fc.constantFrom<(spot: Spot) => string>(
      ({ latitude, longitude }) => `${latitude}, ${longitude}`,
      ({ latitude, longitude }) => `${latitude} ${longitude}`,
      ({ latitude, longitude }) => `at ${latitude},${longitude}!`,
      ({ latitude, longitude }) => `geo:${latitude},${longitude}`,
      ({ latitude, longitude }) => `POINT(${longitude} ${latitude})`,
      ({ latitude, longitude }) => `https://maps.example/?ll=${latitude}%2C${longitude}&amp;z=9`,
      ({ digits: [one, other] }) => `51,30.${one}N 0,7.${other}W`,
      ({ digits: [one, other] }) => `51°30'26.${one}"N 0° 7' 39.${other}" W`,
      ({ digits: [one, other] }) => `+51.${one}-000.${other}/`,
      ({ digits: [one, other] }) => `near 51.${one} N, 0.${other} W`,
      ({ latitude, longitude }) => `geo:lat=${latitude} geo:lon=${longitude}`,
    ),
    form: fc.constantFrom('element', 'attribute', 'member'),
  })
  .map(({ spot, name, prefix, way, value, form }) => {
    const text = disguised(value(spot), way)
    const property = `${prefix}:${name}`
    const declared = `xmlns:${prefix}="http://${name}.example/"`
    const forms = {
      element: `<${property} ${declared}>${text}</${property}>`,
      attribute: `<rdf:li ${declared} ${property}="${text.replaceAll('"', '&quot;')}"/>`,
      member: `<${property} ${declared}><rdf:Bag><rdf:li>stays</rdf:li><rdf:li>${text}</rdf:li></rdf:Bag></${property}>`,
    }
    return { xml: forms[form], digits: spot.digits }
  })

/** Two members of a list under any name. */
const inList = fc
  .record({ spot, name: letters(2, 9), prefix: letters(1, 6) })
  .map(({ spot: { latitude, longitude, digits }, name, prefix }) => ({
    xml: `<${prefix}:${name} xmlns:${prefix}="u"><rdf:Seq><rdf:li>${latitude}</rdf:li><rdf:li>${longitude}</rdf:li></rdf:Seq></${prefix}:${name}>`,
    digits,
  }))

export const planted: fc.Arbitrary<Planted> = fc.oneof(
  { weight: 3, arbitrary: byName },
  { weight: 3, arbitrary: byValue },
  { weight: 1, arbitrary: inList },
)

export const packetOf = (
  inside: string[],
): string => `<?xpacket begin="\ufeff" id="W5M0MpCehiHzreSzNTczkc9d"?>
<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description rdf:about="">
${inside.join('\n')}
</rdf:Description></rdf:RDF></x:xmpmeta><?xpacket end="w"?>`

/** Locations and harmless properties in any order. */
export const packets = fc
  .tuple(
    fc.array(planted, { minLength: 1, maxLength: 4 }),
    fc.array(fc.constantFrom(...HARMLESS), { maxLength: 6 }),
    fc.array(fc.nat(), { maxLength: 10 }),
  )
  .map(([places, kept, order]) => {
    const parts = [...places.map(({ xml }) => xml), ...kept]
    const shuffled = parts
      .map((part, index) => ({ part, at: order[index] ?? index }))
      .sort((one, other) => one.at - other.at)
    return {
      packet: packetOf(shuffled.map(({ part }) => part)),
      digits: places.flatMap(({ digits }) => digits),
      kept,
    }
  })
