import type { FastifyRequest } from 'fastify'

/** The address of this page with other parameters; one that is undefined is left out, and so is the page. */
export function addressWith(
  { request, query }: { request: FastifyRequest; query: URLSearchParams },
  changes: Readonly<Record<string, string | undefined>>,
): string {
  const kept = new URLSearchParams(query)
  kept.delete('after')
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) kept.delete(name)
    else kept.set(name, value)
  }
  const [path = '/'] = request.url.split('?')
  return kept.size === 0 ? path : `${path}?${kept}`
}
