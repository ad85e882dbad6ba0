/** Every measurement. Each compares with a baseline in the same run: these figures travel, milliseconds do not. */
import { benchControlPlane } from './control-plane.ts'
import { benchDelivery } from './delivery.ts'
import { benchImaging } from './imaging.ts'
import { benchUpload } from './upload.ts'

const benches: Readonly<Record<string, () => Promise<void>>> = {
  'control-plane': benchControlPlane,
  imaging: benchImaging,
  upload: benchUpload,
  delivery: benchDelivery,
}

const [, , name] = process.argv
for (const [each, bench] of Object.entries(benches)) if (name === undefined || name === each) await bench()
