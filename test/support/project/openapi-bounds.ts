interface Described {
  name: string
  in: string
  schema: Readonly<Record<string, unknown>>
}

const bounds = ['enum', 'const', 'maxLength', 'maximum', 'maxItems'] as const

/** The parameters of queries for which a document allows values of any length. */
export function unboundedParameters({ paths = {} }: { paths?: object }): string[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, { parameters?: readonly Described[] }>).flatMap(
      ([method, { parameters = [] }]) =>
        parameters
          .filter((each) => each.in === 'query' && !bounds.some((bound) => Object.hasOwn(each.schema, bound)))
          .map(({ name }) => `${method} ${path}: ${name}`),
    ),
  )
}
