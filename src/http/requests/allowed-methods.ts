import type { Route } from '../endpoint.ts'

export interface Address extends Pick<Route, 'method' | 'path'> {
  hasHead?: boolean
}

/** The methods that a path allows; empty if no route has this path. */
export function allowedMethods(routes: readonly Address[]): (path: string) => string[] {
  const patterns = routes.map(({ path, ...route }) => ({ ...route, form: formOf(path) }))
  return (path) => {
    const methods = patterns.filter(({ form }) => form.test(path)).flatMap(methodsOf)
    return methods.length === 0 ? [] : [...new Set([...methods, 'OPTIONS'])].sort()
  }
}

/** GET implies HEAD, unless the route says otherwise. */
export const methodsOf = ({ method, hasHead = true }: Omit<Address, 'path'>): string[] =>
  method === 'GET' && hasHead ? ['GET', 'HEAD'] : [method]

const formOf = (path: string) =>
  new RegExp(
    `^${path
      .replaceAll('.', '\\.')
      .replaceAll('/', '/+')
      .replaceAll('*', '.+')
      .replaceAll(/\{\w+\}/g, '[^/]+')}/*$`,
  )
