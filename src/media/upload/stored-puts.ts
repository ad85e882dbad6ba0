import type { Examined } from '../../imaging/index.ts'
import { Refusal } from '../../lib/refusal.ts'
import { keyOf, type StoredFile, type VariantName, variantOf } from '../files/stored-file.ts'

/** Where the bytes of an upload and of its variants lie, and the storage keys that they get. */
export function putsOf(file: StoredFile, examined: Examined): { key: string; path: string }[] {
  const paths: Record<VariantName, string | undefined> = {
    thumb: examined.thumb?.path,
    medium: examined.medium?.path,
    frame: examined.type === 'video' ? examined.frame?.path : undefined,
  }
  return [
    { key: keyOf(file), path: examined.file.path },
    ...(['thumb', 'medium', 'frame'] as const).flatMap((name) => {
      const [variant, path] = [variantOf(file, name), paths[name]]
      return variant && path ? [{ key: keyOf(file, variant), path }] : []
    }),
  ]
}

/** On a full disk the commit was certainly not written. */
export const isDiskFull = (error: unknown): boolean => error instanceof Refusal && error.code === 'disk-full'
