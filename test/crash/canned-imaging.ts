import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { Examined, Imaging, Variant } from '../../src/imaging/index.ts'

/** A picture that was examined once, by a real decoder: a driver that had to start one would start slowly. */
export interface Examination {
  sourceSha256: string
  examined: Examined
}

export const sha256Of = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

/** Answers as a decoder did once, and writes the files that it wrote: nothing has to be started for that. */
export async function openCannedImaging(fixture: string): Promise<Imaging> {
  const text = await readFile(join(fixture, 'examinations.json'), 'utf8')
  const examinations = JSON.parse(text) as Examination[]
  return {
    async examine(path, { outputFolder }) {
      const sourceSha256 = sha256Of(await readFile(path))
      const known = examinations.find((each) => each.sourceSha256 === sourceSha256)
      if (!known) throw new Error('This picture was never examined.')
      const { file, thumb, medium } = known.examined
      const written = async <Output extends Pick<Variant, 'path'>>(output: Output): Promise<Output> => {
        const to = join(outputFolder, basename(output.path))
        await writeFile(to, await readFile(output.path), { flag: 'wx' })
        return { ...output, path: to }
      }
      const examined: Examined = {
        ...known.examined,
        file: file.isUnchanged ? { ...file, path } : await written(file),
        thumb: await written(thumb),
        medium: medium && (await written(medium)),
      }
      return examined
    },
    confinement: async () => ({ prefix: [], hasNetwork: true, hasMemoryLimit: false }),
    pids: [],
    waiting: 0,
    async [Symbol.asyncDispose]() {},
  }
}
