import { pathToFileURL } from 'node:url'
import type { Plugin } from 'vitest/config'

const build = pathToFileURL(`${import.meta.dirname}/../../../build/`)

/** Programs and threads that the app starts by their path. */
const started = /new URL\('\.\/(?:[\w-]+\/)?(worker|enter|thread)\.ts', import\.meta\.url\)/g

/** Lets an app inside a test start its decoders and database threads from the bundle, as `serve` does: two thirds of the CPU of a start. */
export const builtPrograms: Plugin = {
  name: 'built-programs',
  enforce: 'pre',
  transform(code, id) {
    if (!id.includes('/src/')) return undefined
    return code.replaceAll(started, (_, name) => `new URL('${new URL(`${name}.js`, build)}')`)
  },
}
