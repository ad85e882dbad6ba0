/** The files of a folder and of those below it, in portions. What cannot be read is left out. */
export async function* walk(
  folder: FileSystemDirectoryEntry,
  isShown: (name: string) => boolean,
): AsyncGenerator<File[]> {
  const reader = folder.createReader()
  for (;;) {
    // At most 100 at a time; none at the end.
    const entries = await new Promise<FileSystemEntry[]>((resolve) =>
      reader.readEntries(resolve, () => resolve([])),
    )
    if (entries.length === 0) return
    const shown = entries.filter(({ name }) => isShown(name))
    const files = await Promise.all(shown.filter(isFileEntry).map(fileOfEntry))
    yield files.filter((file) => file !== undefined)
    for (const below of shown.filter(isFolder)) yield* walk(below, isShown)
  }
}

const isFileEntry = (entry: FileSystemEntry): entry is FileSystemFileEntry => entry.isFile
const isFolder = (entry: FileSystemEntry): entry is FileSystemDirectoryEntry => entry.isDirectory

const fileOfEntry = (entry: FileSystemFileEntry) =>
  new Promise<File | undefined>((resolve) => entry.file(resolve, () => resolve(undefined)))
