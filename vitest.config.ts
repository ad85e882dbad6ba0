import { defineConfig } from 'vitest/config'
import { closingLine } from './test/closing-line.ts'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 60_000,
    hookTimeout: 60_000,
    globalSetup: ['test/global-setup.ts'],
    reporters: ['default', closingLine],
  },
})
