const pathForm = /^[A-Za-z0-9_.-]+(?:\/[A-Za-z0-9_.-]+)*$/

/** Where a path below `/images/` looks. No file has another name, and not every store takes every character. */
export function filePlace(path: string): { folder: string; fileName: string } | undefined {
  if (!pathForm.test(path)) return undefined
  const at = path.lastIndexOf('/')
  return { folder: at < 0 ? 'images' : `images/${path.slice(0, at)}`, fileName: path.slice(at + 1) }
}
