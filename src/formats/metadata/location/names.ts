/**
 * Whether the name of a property means a location. It is judged by its words and not by its namespace, because every program has
 * its own namespace:
 *
 * - `yes`: the name alone is enough (exif:GPSLatitude, dwc:decimalLatitude, drone-dji:GpsLongtitude, all of geo: and georss:).
 * - `number`: ambiguous short names (lat, lon, long, alt), which count if their value is a number of degrees.
 * - `fine-number`: names that end in such a word, which count if the value has three decimals.
 * - `pair`: names of points and positions, which count if their value is two numbers that can be degrees.
 *
 * City, country and other words do not count as a location: they stay.
 */
export type LocationName = 'yes' | 'number' | 'fine-number' | 'pair' | 'no'

const PLAIN =
  /gps|latitude|longt?itude|altitude|elevation|easting|northing|iso-?6709|footprint(?:wkt|srs)|what3words|plus_?code|geo[._-]?(?:tag|hash|code|point|position|location|coord|lat|lon|lng)|^pois?$|^points?[._-]?of[._-]?interest$/i

/** Altitudes and angles of other things: of the sun, of a camera mount. */
const NOT_PLAIN = /^(?!.*gps).*(?:sun|solar|angle|exposure|film)/i

/** `lat`, `cameraLat`, `lat_deg`, and `latdeg` at the end of a name. */
const SHORT =
  /(?:^|[._\d-])(?:(?:lat|lon|lng|alt)(?![a-z])|long$)|[a-z](?:(?:Lat|Lon|Lng|Alt)(?![a-z])|Long$)|(?:lat|lng)(?:deg|ref)$/
const SHORT_UPPER = /^(?:LAT|LON|LNG|LONG|ALT|Lat|Lon|Lng|Long)$/

const ENDING = /(?:lat|lon|lng|long)$/i

const POINT = /coord|position|^pos$|point|lat_?(?:lon|lng)|(?:lon|lng)_?lat|location|place|where|track|spot/i

/** Names of number pairs that are not coordinates: colours, lens calibration, areas of the picture. Their values are not judged. */
const HARMLESS =
  /principal|distort|chroma|white|black|primar|curve|crop|focal|lens|matrix|rigrelativ|sensitiv|calibrat|vignett|area|region|gradient|mask|dabs|gamma|tone_?(?:curve|map)|colou?r|rotation|translation|resolution|rectangle|size|pixel|exposure|aperture|face|focus|subject(?:location|distance)/i

/** Vocabularies that contain only locations, by prefix or by a part of their namespace. */
const GEO_PREFIX = /^(?:geo|geo\d|wgs84(?:_pos)?|georss|gml|gps|gpx|kml|geotag|geotate)$/i
const GEO_NAMESPACE =
  /(?:^|[/#.:_-])(?:geo|wgs84_pos|georss|gml|gpx|kml|gps|geotags?|geotate|opengis)(?:[/#.:_-]|$)/i

export function classifyName(name: string, namespace = ''): LocationName {
  const colon = name.indexOf(':')
  const prefix = colon === -1 ? '' : name.slice(0, colon)
  const local = name.slice(colon + 1)
  if (GEO_PREFIX.test(prefix) || (prefix !== '' && GEO_NAMESPACE.test(namespace))) return 'yes'
  if (PLAIN.test(local) && !NOT_PLAIN.test(local)) return 'yes'
  if (isHarmless(local)) return 'no'
  if (SHORT.test(local) || SHORT_UPPER.test(local)) return 'number'
  if (POINT.test(local)) return 'pair'
  return ENDING.test(local) ? 'fine-number' : 'no'
}

/** For names without a value to judge, such as the keyword of a PNG text chunk. */
export const isLocationName = (name: string): boolean => classifyName(name) === 'yes'

export const isHarmless = (name: string): boolean => HARMLESS.test(name)
