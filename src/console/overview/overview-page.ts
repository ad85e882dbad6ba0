import { listKeys } from '../../control/index.ts'
import { type Html, html } from '../../lib/html.ts'
import { countFindings, countMoves, lastHealthRun } from '../../maintenance/index.ts'
import { countFailingJobs } from '../../scheduling/index.ts'
import { type InstallationOverview, readInstallation } from '../../tenants/index.ts'
import { type DayColumn, dayCharts, dayCountIn } from '../../ui/day-charts.ts'
import { linkButton } from '../../ui/parts/controls.ts'
import { figure } from '../../ui/parts/figure.ts'
import { icon } from '../../ui/parts/icon.ts'
import { banner, emptyState } from '../../ui/parts/states.ts'
import { writeCount, writeNumber, writeSize } from '../../words/format.ts'
import { type ConsoleCall, type ConsoleHandler, consolePath, mayChange } from '../console-call.ts'
import { consolePage, section } from '../frame.ts'

export const showOverview: ConsoleHandler = async (call) => {
  const overview = await readInstallation(call.control, { dayCount: dayCountIn(call.query) })
  const attention = await attentionOf(call, overview)
  return { page: overviewPage(call, overview, attention) }
}

function overviewPage(call: ConsoleCall, overview: InstallationOverview, attention: readonly Html[]): string {
  const { words } = call.reader
  const content =
    overview.tenants === 0
      ? html`${firstSteps(call)}${attentionPart(call, attention)}`
      : html`${figures(call, overview)}
${attentionPart(call, attention)}
${section(words.consoleUsageTitle, charts(call, overview))}`
  return consolePage(call, { part: '', title: words.consoleOverview, content })
}

/** What there is now; each state leads to the tenants that are in it. */
function figures({ reader: { words, language } }: ConsoleCall, overview: InstallationOverview): Html {
  const { tenants, enabled, notInstalled, totals, days } = overview
  const today = days.at(-1)?.counts
  const states = [
    ['enabled', enabled],
    ['disabled', tenants - enabled],
    ['not-installed', notInstalled],
  ] as const
  const links = states.map(
    ([state, count]) =>
      html`<a href="${consolePath(`tenants?state=${state}`)}">${words.tenantStates[state]} ${writeNumber(language, count)}</a>`,
  )
  const rows = [
    [
      words.consoleAllTenants,
      html`<a href="${consolePath('tenants')}">${writeNumber(language, tenants)}</a>`,
      html`<span class="state-links">${links}</span>`,
    ],
    [
      words.consoleStored,
      html`${writeSize(language, totals.storageUsed)}`,
      html`${writeNumber(language, totals.files)} ${words.filesTab}`,
    ],
    [words.consoleUploadsToday, html`${writeNumber(language, today?.uploads ?? 0)}`],
    [words.consoleRequestsToday, html`${writeNumber(language, today?.apiRequests ?? 0)}`],
    [words.consoleTrafficToday, html`${writeSize(language, today?.trafficBytes ?? 0)}`],
    [words.consoleErrorsToday, html`${writeNumber(language, today?.serverErrors ?? 0)}`],
  ] as const
  return html`<dl class="figures">${rows.map(
    ([label, value, more]) =>
      html`<div><dt>${label}</dt><dd>${figure(value)}${more && html`<span class="use">${more}</span>`}</dd></div>`,
  )}</dl>`
}

function attentionPart({ reader: { words } }: ConsoleCall, attention: readonly Html[]): Html {
  const content =
    attention.length === 0
      ? banner(html`<p>${words.consoleAllWell}</p>`, 'good')
      : html`<ul class="attention">${attention}</ul>`
  return section(words.consoleAttention, content)
}

const mostNamed = 5

const soonMs = 14 * 86_400_000

/** What an operator must know, each with the page that tells more; empty if all is well. */
async function attentionOf(call: ConsoleCall, overview: InstallationOverview): Promise<Html[]> {
  const { words, language } = call.reader
  const { control } = call
  const moves = await countMoves(control)
  const health = await lastHealthRun(control)
  const findings = health ? countFindings(health) : { faults: 0, warnings: 0 }
  const now = control.clock.now()
  const expiring = (await listKeys(control)).filter(
    ({ expiresAt }) => expiresAt && expiresAt > now && expiresAt.getTime() - now.getTime() < soonMs,
  )
  const plans = overview.unreadablePlans
  const unreadablePlans = {
    one: (count: string) => words.consoleUnreadablePlans.one(count, plans[0] ?? ''),
    other: (count: string) => words.consoleUnreadablePlans.other(count, plans.slice(0, mostNamed).join(', ')),
  }
  const entries = [
    [plans.length, unreadablePlans, 'plans', 'danger'],
    [overview.unreadable.length, words.consoleUnreadable, 'attention/unreadable', 'danger'],
    [await countFailingJobs(control), words.consoleFailingJobs, 'jobs?state=failing', 'danger'],
    [overview.suspended.length, words.consoleSuspendedSites, 'attention/suspended', 'danger'],
    [moves.failed, words.consoleMovesFailed, 'moves', 'danger'],
    [findings.faults, words.consoleFindings, 'health', 'danger'],
    [overview.nearLimits.length, words.consoleNearLimit, 'attention/limits', 'warn'],
    [findings.warnings, words.consoleWarnings, 'health', 'warn'],
    [expiring.length, words.consoleKeysExpire, 'keys', 'warn'],
    [moves.running, words.consoleMovesRun, 'moves', 'info'],
  ] as const
  return entries
    .filter(([count]) => count > 0)
    .map(
      ([count, forms, path, look]) =>
        html`<li class="${look}"><a href="${consolePath(path)}">${icon(look === 'info' ? 'info' : 'warning')}<span>${writeCount(language, forms, count)}</span></a></li>`,
    )
}

function charts({ reader, query }: ConsoleCall, { days }: InstallationOverview): Html {
  const { words } = reader
  const columns: readonly DayColumn[] = [
    ['uploads', words.chartUploads, writeNumber],
    ['apiRequests', words.chartApiRequests, writeNumber],
    ['serverErrors', words.chartErrors, writeNumber],
    ['trafficBytes', words.chartTraffic, writeSize],
    ['storageUsed', words.storage, writeSize],
  ]
  return dayCharts(reader, { days, columns, path: consolePath(), query })
}

function firstSteps(call: ConsoleCall): Html {
  const { words } = call.reader
  const empty = emptyState({
    title: words.consoleFirstTitle,
    text: words.consoleFirstText,
    action: mayChange(call)
      ? linkButton(words.consoleFirstTenant, consolePath('tenants/new'), { icon: 'add' })
      : undefined,
  })
  if (!mayChange(call)) return empty
  const steps = [
    ['plans/new', words.consoleFirstPlan, words.consoleFirstPlanText],
    ['tenants/new', words.consoleFirstTenant, words.consoleFirstTenantText],
    ['keys', words.consoleFirstKey, words.consoleFirstKeyText],
  ] as const
  const list = steps.map(
    ([path, label, text]) =>
      html`<li><a href="${consolePath(path)}">${label}</a><br><span class="soft">${text}</span></li>`,
  )
  return html`${empty}${section(words.consoleFirstSteps, html`<ol class="first-steps">${list}</ol>`)}`
}
