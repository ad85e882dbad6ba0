/** A content type without its parameters, in lower case. */
export const mediaTypeOf = (contentType = ''): string => contentType.split(';', 1).join().trim().toLowerCase()
