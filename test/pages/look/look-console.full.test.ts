import { lookAtEvery } from '../../support/browsers/look.ts'

await lookAtEvery('console', { languages: ['de', 'es'], widths: [768, 390, 1280, 1920] })
