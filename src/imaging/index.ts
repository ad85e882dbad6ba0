export type { Confinement } from './confinement.ts'
export { type ExamineRequest, type Imaging, type ImagingOptions, startImaging } from './imaging.ts'
export type { Examined, Misbehaviour, StoredPicture, Variant } from './job.ts'
export type { KindName, MetadataPolicy } from './kinds/kind.ts'
