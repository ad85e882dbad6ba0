/** Names of fields that tell where a movie was made, or which way the camera looked there. */
const TELLS_PLACE = /location|gps|latitude|longt?itude|geo[._-]?(?:tag|point|lat|lon)|iso6709|\.direction\./i

export const namesPlace = (name: string): boolean => TELLS_PLACE.test(name)

/** Text that mentions coordinates, whatever its form. */
export const mentionsPlace = (text: string): boolean => /\bgps|latitude|longt?itude|iso6709/i.test(text)

/** Text that gives coordinates, as drones do in subtitles; people only talk of GPS. */
export const showsCoordinates = (text: string): boolean =>
  /(?:gps|lat(?:itude)?|lon(?:g(?:t?itude)?)?)[^\w+-]{0,8}[+-]?\d{1,3}\.\d{2}/i.test(text)
