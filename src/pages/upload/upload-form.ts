import type { UploadData } from '../../common/upload-wire.ts'
import type { Allowance, UploadChoices } from '../../media/index.ts'
import type { Reader } from '../reader.ts'

/** What the upload page shows. */
export interface UploadForm {
  siteName: string
  reader: Reader
  data: UploadData
  choices: UploadChoices
  allowance: Allowance
  isMember: boolean
  /** The texts of a form that was refused. */
  given?: ReadonlyMap<string, string>
  /** Why it was refused. */
  fault?: string
}
