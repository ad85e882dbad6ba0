import { lookAtEvery } from '../../support/look.ts'

await lookAtEvery('files')
