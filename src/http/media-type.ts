/** What a content type says before its parameters, in small letters. */
export const mediaTypeOf = (contentType = ''): string => contentType.split(';', 1).join().trim().toLowerCase()
