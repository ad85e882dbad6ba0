/** What a person drops, pastes or chooses: files, folders, and addresses as text. */
export type Source = File | FileSystemDirectoryEntry | string

/** The files of folders too, in portions, so that the first are sent while the last are looked for. */
export async function* filesOf(sources: readonly Source[]): AsyncGenerator<(File | string)[]> {
  const files: (File | string)[] = []
  const folders: FileSystemDirectoryEntry[] = []
  for (const source of sources) {
    if (typeof source === 'string' || source instanceof File) files.push(source)
    else folders.push(source)
  }
  if (files.length > 0) yield files
  if (folders.length === 0) return
  const { walk } = await import('./walk.ts')
  for (const folder of folders) yield* walk(folder, isShown)
}

/** Left out of a folder: what its system hides there. */
export const isShown = (name: string): boolean => !/^\.|^(Thumbs\.db|desktop\.ini)$/i.test(name)

/** The address that a text is; undefined for any other text. */
export function addressIn(text: string): string | undefined {
  const address = text.trim()
  return /^https?:\/\/\S+$/i.test(address) && URL.canParse(address) ? address : undefined
}
