import { flushCompileCache } from 'node:module'
import { lockLibvips } from '../pixels/libvips.ts'
import { performJob, serveJobs } from './serve-jobs.ts'

/** The main module of a child process. With `--compile` it only fills the compile cache. */

lockLibvips()
if (process.argv.includes('--compile')) {
  // Modules that are imported only at the first video and the first HEIC.
  await Promise.all([import('mediabunny'), import('../pixels/heif/libheif.ts')])
  flushCompileCache()
  process.exit(0)
}
serveJobs(performJob)
