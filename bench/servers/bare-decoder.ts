/** The baseline of an upload: thumb and medium of a picture, as often as it is requested. */
import { createHash } from 'node:crypto'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import sharp from 'sharp'
import { makeBare } from '../photos.ts'

interface Work {
  path: string
  times: number
  sums: number
}

sharp.cache(false)
sharp.concurrency(1)
/** Kept from one request to the next: an upload has its bytes in memory too, when it hashes and writes them. */
let held: { path: string; bytes: Buffer } | undefined

process.on('message', async ({ path, times, sums }: Work) => {
  if (sums > 0 && held?.path !== path) held = { path, bytes: readFileSync(path) }
  for (let time = 0; time < times; time += 1) {
    await makeBare(path)
    if (held && sums > 0) sumAndWrite(held, sums)
  }
  process.send?.('done')
})
process.on('disconnect', () => process.exit())

function sumAndWrite({ path, bytes }: { path: string; bytes: Buffer }, sums: number): void {
  for (let sum = 0; sum < sums; sum += 1) createHash('md5').update(bytes).digest()
  rmSync(`${path}.copy`, { force: true })
  writeFileSync(`${path}.copy`, bytes)
}
