/** Names of metadata fields of videos that contain the location, or the direction of the camera. */
const LOCATION_FIELD =
  /location|gps|latitude|longt?itude|geo[._-]?(?:tag|point|lat|lon)|iso6709|\.direction\./i

export const isLocationField = (name: string): boolean => LOCATION_FIELD.test(name)

/** True if a text mentions coordinates, in whatever form. */
export const mentionsLocation = (text: string): boolean => /\bgps|latitude|longt?itude|iso6709/i.test(text)

/** True if a text contains coordinates, as drones write them into subtitles. The word GPS alone is not enough: people say it too. */
export const showsCoordinates = (text: string): boolean =>
  /(?:gps|lat(?:itude)?|lon(?:g(?:t?itude)?)?)[^\w+-]{0,8}[+-]?\d{1,3}\.\d{2}/i.test(text)
