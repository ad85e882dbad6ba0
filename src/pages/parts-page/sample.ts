import type { Html } from '../../lib/html.ts'

/** One part in all its states. */
export interface Sample {
  name: string
  shown: Html
}
