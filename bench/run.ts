/** Every measurement. Each is a ratio to a baseline of the same run: ratios are comparable between machines, milliseconds are not. */
import { benchArchive } from './archive.ts'
import { benchConsole } from './console.ts'
import { benchControlPlane } from './control-plane.ts'
import { benchDelivery } from './delivery.ts'
import { benchEveryCore } from './every-core.ts'
import { benchFiles } from './files.ts'
import { benchGrid } from './grid.ts'
import { benchIdle } from './idle.ts'
import { benchImaging } from './imaging.ts'
import { benchJobs } from './jobs.ts'
import { runKills } from './long/kills.ts'
import { runNeighbours } from './long/neighbours.ts'
import { benchManyTenants } from './many-tenants.ts'
import { benchMedia } from './media.ts'
import { benchPages } from './pages.ts'
import { benchResumable } from './resumable.ts'
import { benchScaleOut } from './scale-out.ts'
import { benchSearch } from './search.ts'
import { benchTransforms } from './transforms.ts'
import { benchUpload } from './upload.ts'
import { benchUploadThreads } from './upload-threads.ts'
import { benchUsage } from './usage.ts'
import { benchVideo } from './video.ts'
import { benchViews } from './views.ts'

const benches: Readonly<Record<string, () => Promise<void>>> = {
  archive: benchArchive,
  'control-plane': benchControlPlane,
  'many-tenants': benchManyTenants,
  idle: benchIdle,
  'every-core': benchEveryCore,
  usage: benchUsage,
  imaging: benchImaging,
  transforms: benchTransforms,
  upload: benchUpload,
  'upload-threads': benchUploadThreads,
  resumable: benchResumable,
  video: benchVideo,
  delivery: benchDelivery,
  files: benchFiles,
  views: benchViews,
  jobs: benchJobs,
  media: benchMedia,
  search: benchSearch,
  grid: benchGrid,
  pages: benchPages,
  console: benchConsole,
  'scale-out': benchScaleOut,
}

/** Half an hour each, and only when they are asked for by name. */
const longRuns: Readonly<Record<string, () => Promise<void>>> = {
  kills: runKills,
  neighbours: runNeighbours,
}

const [, , name] = process.argv
const chosen = name === undefined ? Object.values(benches) : [{ ...benches, ...longRuns }[name]]
for (const bench of chosen) {
  if (!bench) throw new Error(`There is no measurement "${name}".`)
  await bench()
}
