import { type Html, html } from '../../../lib/html.ts'
import { type Day, mostPending, type Overview } from '../../../media/index.ts'
import { writeCount } from '../../../words/format.ts'
import type { PageCall } from '../../page-call.ts'
import { mediaTiles } from '../../parts/lists/media-tile.ts'
import { banner } from '../../parts/states/banner.ts'
import { emptyState } from '../../parts/states/empty-state.ts'
import { dashboardPage, dashboardSection } from '../dashboard-frame.ts'
import { daysSection } from '../overview.ts'
import { figures } from './figures.ts'
import { newestTiles } from './newest-tiles.ts'

export function overviewPage(call: PageCall, overview: Overview & { days: readonly Day[] }): string {
  const { words } = call.reader
  const content = html`${waiting(call, overview)}${reports(call, overview)}${figures(call, overview)}
${daysSection(call, overview.days)}
${dashboardSection(words.newestFiles, newest(call, overview))}`
  return dashboardPage(call, { part: '/dashboard', content })
}

function waiting({ reader: { words, language } }: PageCall, { pending }: Overview): Html | undefined {
  if (pending === 0) return undefined
  const text = writeCount(language, words.filesWait, pending)
  return banner(
    html`<p><a href="/dashboard/queue">${pending < mostPending ? text : words.atLeast(text)}</a></p>`,
    'warn',
  )
}

const reports = ({ reader: { words, language } }: PageCall, { reported }: Overview): Html | undefined =>
  reported === 0
    ? undefined
    : banner(
        html`<p><a href="/dashboard/reports">${writeCount(language, words.filesReported, reported)}</a></p>`,
        'warn',
      )

const newest = (call: PageCall, { newest: files }: Overview): Html =>
  files.length === 0
    ? emptyState({ title: call.reader.words.noFiles, text: call.reader.words.noFilesOnSite })
    : mediaTiles(newestTiles(call, files))
