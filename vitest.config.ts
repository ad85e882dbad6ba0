import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { closingLine } from './test/closing-line.ts'
import { LongestFirst } from './test/longest-first.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // Every app starts threads, and many tests start programs: what one has compiled, the next one need not.
    env: { NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled') },
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: ['test/global-setup.ts'],
    reporters: ['default', closingLine],
  },
})
