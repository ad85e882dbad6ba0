const pathForm = /^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*$/

/** Folder and file name of a path below `/images/`; undefined for characters that no stored name has. */
export function filePath(path: string): { folder: string; fileName: string } | undefined {
  if (!pathForm.test(path)) return undefined
  const at = path.lastIndexOf('/')
  return { folder: at < 0 ? 'images' : `images/${path.slice(0, at)}`, fileName: path.slice(at + 1) }
}
