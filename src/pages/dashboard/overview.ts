import { type Html, html } from '../../lib/html.ts'
import { mostPending, type Overview, readOverview, type ShownFile } from '../../media/index.ts'
import { dayAfter, dayOf, noUsage, type Quotas, readQuotas, type UsageRow } from '../../site/index.ts'
import { readSiteUsage } from '../../tenants/index.ts'
import { type DayColumn, dayCharts, dayCountIn } from '../../ui/day-charts.ts'
import { type MediaTile, mediaTiles } from '../../ui/parts/lists.ts'
import { banner, emptyState, meter } from '../../ui/parts/states.ts'
import { writeCount, writeNumber, writeSize } from '../../words/format.ts'
import { type PageCall, type PageHandler, userOf } from '../page-call.ts'
import { dashboardPage, dashboardSection } from './dashboard-frame.ts'
import { staffTileOf } from './files/staff-tile.ts'
import { monthlyFigures, quotaNotices } from './quotas.ts'

export const showOverview: PageHandler = async (call) => ({
  page: overviewPage(call, {
    ...(await readOverview(call.site, userOf(call))),
    days: await readDays(call),
    quotas: await readQuotas(call.site),
  }),
})

interface Shown extends Overview {
  days: readonly UsageRow[]
  quotas: Quotas
}

function overviewPage(call: PageCall, overview: Shown): string {
  const { words } = call.reader
  const content = html`${quotaNotices(call.reader, overview.quotas)}${waiting(call, overview)}${reports(call, overview)}${figures(call, overview)}
${dashboardSection(words.chartTitle, daysOf(call, overview.days))}
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

/** The totals of the site; a meter only where there is a limit. */
function figures({ reader }: PageCall, { uses, quotas }: Shown): Html {
  const { words, language } = reader
  const names = {
    files: words.filesTab,
    storageUsed: words.storage,
    users: words.users,
    albums: words.albums,
  }
  const rows = uses.map(({ total, used, limit }) => {
    const write = total === 'storageUsed' ? writeSize : writeNumber
    const label = names[total]
    const use =
      limit === undefined
        ? undefined
        : meter({
            label,
            used,
            limit,
            text: words.ofLimit(write(language, used), write(language, limit)),
          })
    return html`<div><dt>${label}</dt><dd><span class="figure">${write(language, used)}</span>${use}</dd></div>`
  })
  return html`<dl class="figures">${rows}${monthlyFigures(reader, quotas)}</dl>`
}

/** Files as tiles in their own shape. */
const newestTiles = (call: PageCall, files: readonly ShownFile[]): MediaTile[] =>
  files.map((shown) => {
    const { path, title, picture, badge, isCovered } = staffTileOf(call, shown)
    const { width, height } = shown.file
    return {
      address: path,
      title,
      picture: picture === null ? undefined : { path: picture, width, height },
      ...(badge !== null && { badge }),
      ...(isCovered && { cover: call.reader.words.nsfw }),
    }
  })

/** The last days with today, the first one first; thirty unless the address names another range. */
async function readDays({ app: { control }, site, query }: PageCall): Promise<UsageRow[]> {
  const count = dayCountIn(query)
  const to = dayOf(site.clock.now())
  const from = dayAfter(to, 1 - count)
  const rows = await readSiteUsage(control, site, { from, to, step: 'day' })
  // A chart of a young site begins with empty days.
  const missing = Array.from({ length: count - rows.length }, (_, index) => dayAfter(from, index))
  return [...missing.map((date) => ({ date, counts: noUsage })), ...rows]
}

function daysOf({ reader, query }: PageCall, days: readonly UsageRow[]): Html {
  const { words } = reader
  const columns: readonly DayColumn[] = [
    ['uploads', words.chartUploads, writeNumber],
    ['downloads', words.chartDownloads, writeNumber],
    ['storageUsed', words.storage, writeSize],
    ['trafficBytes', words.chartTraffic, writeSize],
    ['views', words.chartViews, writeNumber],
  ]
  return dayCharts(reader, { days, columns, path: '/dashboard', query })
}
