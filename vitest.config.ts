import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { builtPrograms } from './test/support/run/built-programs.ts'
import { cheapPasswords } from './test/support/run/cheap-passwords.ts'
import { LongestFirst } from './test/support/run/longest-first.ts'
import { runReport } from './test/support/run/run-report.ts'
import { testFolder } from './test/support/run/test-folder.ts'
import { filesOfTier, tierOf } from './test/support/tiers.ts'

export default defineConfig(({ mode }) => {
  const tier = tierOf(mode, process.argv)
  return {
    plugins: [builtPrograms, cheapPasswords],
    test: {
      include: filesOfTier(tier),
      pool: 'forks',
      // A worker loads the program once, not once for each test file: loading took 13 % of `npm test`, and takes 2 %.
      isolate: false,
      // Some tests wait for a time-out or for a disk: one worker more than there are cores uses the CPU meanwhile.
      maxWorkers: Math.min(availableParallelism() + 1, 6),
      sequence: { sequencer: LongestFirst },
      env: {
        TEST_TIER: tier,
        TMPDIR: testFolder(),
        // Every app starts threads, and many tests start programs: what one has compiled, the next one need not.
        NODE_COMPILE_CACHE: join(import.meta.dirname, 'node_modules/.cache/compiled'),
      },
      // For tests that hang. On a machine with a load of ten an ordinary one may take a minute.
      testTimeout: 180_000,
      hookTimeout: 180_000,
      globalSetup: ['test/support/run/global-setup.ts'],
      reporters: ['default', runReport],
    },
  }
})
