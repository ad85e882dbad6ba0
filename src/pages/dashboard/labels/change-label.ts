import { responseOfRefusal } from '../../../http/responses/errors.ts'
import { Refusal } from '../../../lib/refusal.ts'
import type { ChangingSite } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { Reader } from '../../../ui/reader.ts'
import { refusalText } from '../../../ui/refusal-words.ts'
import { orRefusal } from '../../../ui/refused.ts'
import type { PageAnswer, PageCall } from '../../page-call.ts'

interface LabelChange {
  path: string
  work: (site: ChangingSite) => Promise<unknown>
  pageOf: (call: PageCall, fault: string) => Promise<string>
}

/** Changes a category or a tag; a refusal is shown over the list. */
export async function labelChanged(call: PageCall, { path, work, pageOf }: LabelChange): Promise<PageAnswer> {
  const changed = await orRefusal(changeSite(call.app.control, call.site, work))
  if (!(changed instanceof Refusal)) return { to: `${path}?saved=1` }
  const { status, headers } = responseOfRefusal(changed)
  return { page: await pageOf(call, faultOf(call.reader, changed)), status, headers }
}

function faultOf(reader: Reader, refusal: Refusal): string {
  return refusal.code === 'category-exists' ? reader.words.categoryTaken : refusalText(reader, refusal)
}
