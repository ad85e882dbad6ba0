import type { ConsoleRoute } from '../console-call.ts'
import { showAttention } from './attention-page.ts'
import { showOverview } from './overview-page.ts'

export const overviewPages: readonly ConsoleRoute[] = [
  { method: 'GET', path: '', handle: showOverview },
  { method: 'GET', path: 'attention/{kind}', handle: showAttention },
]
