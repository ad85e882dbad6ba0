import type { Route } from './endpoint.ts'

/** The methods that an address takes; none when there is no such address. */
export function allowedMethods(
  routes: readonly Pick<Route, 'method' | 'path'>[],
): (path: string) => string[] {
  const patterns = routes.map(({ method, path }) => ({ method, form: formOf(path) }))
  return (path) => {
    const methods = patterns.filter(({ form }) => form.test(path)).map(({ method }) => method)
    if (methods.length === 0) return []
    return [...new Set([...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'])].sort()
  }
}

const formOf = (path: string) =>
  new RegExp(
    `^${path
      .replaceAll('.', '\\.')
      .replaceAll('/', '/+')
      .replaceAll('*', '.+')
      .replaceAll(/\{\w+\}/g, '[^/]+')}/*$`,
  )
