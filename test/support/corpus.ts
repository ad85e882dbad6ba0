import { fileURLToPath } from 'node:url'

/**
 * A folder of public files, good and broken, one folder for each source (`SOURCES.md` there names them with their
 * licences). TEST_CORPUS names a larger one.
 */
export const corpus = process.env.TEST_CORPUS ?? fileURLToPath(new URL('../corpus/', import.meta.url))

/** What the original system answered, one file for each request. */
export const recordings = new URL('../recordings/', import.meta.url)
