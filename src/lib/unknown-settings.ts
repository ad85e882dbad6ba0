import { closest, suggestion } from './did-you-mean.ts'

interface KnownSettings {
  names: ReadonlySet<string>
  /** Old names, which still work, and their new ones. */
  renamed: ReadonlyMap<string, string>
}

/** What should be known of the variables whose names begin with `SERVICE_`. */
export const settingWarnings = (given: readonly string[], known: KnownSettings): string[] =>
  given.flatMap((name) => {
    const newName = known.renamed.get(name)
    if (newName) return [`${name} is now ${newName}; the old name still works.`]
    if (!name.startsWith('SERVICE_') || known.names.has(name)) return []
    return [`${name} is not a setting and has no effect.${suggestion(similarSetting(name, known))}`]
  })

/** `SERVICE_PORT` means `PORT`: a few settings have the names that platforms give them. */
function similarSetting(name: string, { names }: KnownSettings): string | undefined {
  const bare = name.replace(/^SERVICE_/, '')
  if (bare === '' || names.has(bare)) return bare || undefined
  return closest(name, [...names])
}
