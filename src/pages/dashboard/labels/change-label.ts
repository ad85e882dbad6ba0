import { responseOfRefusal } from '../../../http/responses/errors.ts'
import { Refusal } from '../../../lib/refusal.ts'
import type { ChangingSite } from '../../../site/index.ts'
import { changeSite } from '../../../tenants/index.ts'
import type { Words } from '../../../words/en.ts'
import type { PageAnswer, PageCall } from '../../page-call.ts'
import { orRefusal } from '../../refused.ts'

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
  return { page: await pageOf(call, faultOf(call.reader.words, changed)), status, headers }
}

/** Messages are written in English; what people meet here has words in every language. */
function faultOf(words: Words, { code, message, kind }: Refusal): string {
  if (code === 'category-exists') return words.categoryTaken
  if (code === 'limit-reached') return words.limitReached(message)
  if (kind === 'not-found') return words.labelGone
  if (message.startsWith('name:')) return words.labelRule
  return message
}
