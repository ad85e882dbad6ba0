import { needing } from '../support/needs.ts'
import { openDisk, openS3 } from '../support/stores/storage-backends.ts'
import { storageContract } from '../support/stores/storage-contract.ts'
import { runsOf } from '../support/tiers.ts'

storageContract('on a disk', openDisk, { propertyRuns: runsOf(200) })

const bucketed = await needing('radosgw')

bucketed.describe('against a real S3 server', () => {
  storageContract('in a bucket', () => openS3('terrace'), { propertyRuns: runsOf(50) })
  storageContract('in a folder of a bucket', () => openS3('terrace', 'some/folder'), {
    propertyRuns: runsOf(20),
  })
})
