/** Every measurement. Each compares with a baseline in the same run: these figures travel, milliseconds do not. */
import { benchControlPlane } from './control-plane.ts'
import { benchDelivery } from './delivery.ts'
import { benchImaging } from './imaging.ts'
import { benchJobs } from './jobs.ts'
import { benchScaleOut } from './scale-out.ts'
import { benchUpload } from './upload.ts'
import { benchVideo } from './video.ts'

const benches: Readonly<Record<string, () => Promise<void>>> = {
  'control-plane': benchControlPlane,
  imaging: benchImaging,
  upload: benchUpload,
  video: benchVideo,
  delivery: benchDelivery,
  jobs: benchJobs,
  'scale-out': benchScaleOut,
}

const [, , name] = process.argv
for (const [each, bench] of Object.entries(benches)) if (name === undefined || name === each) await bench()
