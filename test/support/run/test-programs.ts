import { buildTestPrograms, builtTestProgram } from '../../../build.mjs'

/**
 * Programs that tests start again and again and that open the app. They are bundled as the app itself is: from its
 * sources a start takes four times the CPU.
 */
const programs = {
  'driver.ts': 'test/faults/crash/driver.ts',
  'archive-driver.ts': 'test/faults/crash/archive-driver.ts',
  'file-driver.ts': 'test/faults/crash/file-driver.ts',
  'resumable-driver.ts': 'test/faults/crash/resumable-driver.ts',
  'job-driver.ts': 'test/faults/crash/job-driver.ts',
  'moving-driver.ts': 'test/faults/moves/moving-driver.ts',
  'upload-driver.ts': 'test/faults/crash/upload-driver.ts',
  'job-worker.ts': 'test/support/faults/job-worker.ts',
  'storage-driver.ts': 'test/support/stores/storage-driver.ts',
} as const

export type TestProgram = keyof typeof programs

/** Where the bundle of a program is. */
export const pathOfProgram = (name: TestProgram): string => builtTestProgram(programs[name])

/** Once for a run. */
export const buildPrograms = (): Promise<void> => buildTestPrograms(Object.values(programs))
