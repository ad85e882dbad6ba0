import type { OpenApi } from './openapi.ts'

/** The description of the API as a page to read. */
export function docsPage(description: OpenApi): string {
  return `<!doctype html><title>${description.info.title}</title>`
}
