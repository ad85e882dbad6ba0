import { lookAtEvery } from '../../support/browsers/look.ts'

await lookAtEvery('console')
