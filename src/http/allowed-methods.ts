import type { Route } from './endpoint.ts'

interface Address extends Pick<Route, 'method' | 'path'> {
  hasHead?: boolean
}

/** The methods that an address takes; none when there is no such address. */
export function allowedMethods(routes: readonly Address[]): (path: string) => string[] {
  const patterns = routes.map(({ path, ...route }) => ({ ...route, form: formOf(path) }))
  return (path) => {
    const methods = patterns.filter(({ form }) => form.test(path)).flatMap(methodsOf)
    return methods.length === 0 ? [] : [...new Set([...methods, 'OPTIONS'])].sort()
  }
}

/** Whoever may get an answer may also ask for its headers. */
const methodsOf = ({ method, hasHead = true }: Omit<Address, 'path'>): string[] =>
  method === 'GET' && hasHead ? ['GET', 'HEAD'] : [method]

const formOf = (path: string) =>
  new RegExp(
    `^${path
      .replaceAll('.', '\\.')
      .replaceAll('/', '/+')
      .replaceAll('*', '.+')
      .replaceAll(/\{\w+\}/g, '[^/]+')}/*$`,
  )
