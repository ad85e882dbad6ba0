import { listWork, type Work } from '../../control/index.ts'
import { type Html, html } from '../../lib/html.ts'
import { Refusal } from '../../lib/refusal.ts'
import {
  askForHealth,
  countFindings,
  type HealthRun,
  lastHealthRun,
  type Verdict,
} from '../../maintenance/index.ts'
import { tokenField } from '../../ui/form.ts'
import { messageIn } from '../../ui/message-words.ts'
import { submitButton } from '../../ui/parts/controls.ts'
import { chip, table } from '../../ui/parts/lists.ts'
import { banner, emptyState } from '../../ui/parts/states.ts'
import type { Reader } from '../../ui/reader.ts'
import { orRefusal } from '../../ui/refused.ts'
import { timeTag, writeCount } from '../../words/format.ts'
import {
  type ConsoleCall,
  type ConsoleHandler,
  type ConsoleRoute,
  consolePath,
  installationOf,
  mayChange,
} from '../console-call.ts'
import { answerOfRefusal, consolePage, section } from '../frame.ts'
import { tenantPath } from '../record-paths.ts'
import { isUnderWay, whyFailed, workProgress } from '../work/work-progress.ts'

const showHealth: ConsoleHandler = async (call) => ({ page: await healthPage(call) })

const runChecks: ConsoleHandler = async (call) => {
  const asked = await orRefusal(askForHealth(installationOf(call)))
  if (!(asked instanceof Refusal)) return { to: consolePath('health') }
  return answerOfRefusal(asked, await healthPage(call, call.reader.words.healthRunsAlready))
}

async function healthPage(call: ConsoleCall, refused?: string): Promise<string> {
  const { reader, control } = call
  const { words } = reader
  const [newest] = await listWork(control, 'health')
  const last = await lastHealthRun(control)
  const running = newest && isUnderWay(newest) ? newest : undefined
  const content = html`<p class="soft">${words.healthText}</p>
${refused === undefined ? undefined : banner(html`<p>${refused}</p>`, 'danger')}
${running ? underWay(reader, running) : undefined}
${newest?.state === 'failed' ? banner(html`<p>${words.healthFailed}</p>${whyFailed(reader, newest)}`, 'danger') : undefined}
${last ? runOf(reader, last) : running ? undefined : emptyState({ title: words.healthNever, text: words.healthNeverText })}`
  return consolePage(call, {
    part: 'health',
    title: words.consoleHealth,
    actions: mayChange(call) && !running ? runForm(reader) : undefined,
    content,
  })
}

const runForm = (reader: Reader): Html =>
  html`<form method="post" action="${consolePath('health/run')}">${tokenField(reader)}${submitButton(reader.words.healthRun)}</form>`

const underWay = (reader: Reader, work: Work): Html =>
  html`<section class="section"><p>${reader.words.healthRunning}</p>${workProgress(reader, work)}</section>`

function runOf(reader: Reader, run: HealthRun): Html {
  const { words, language } = reader
  const { faults, warnings } = countFindings(run)
  const summary =
    faults + warnings === 0
      ? banner(html`<p>${words.healthSound}</p>`, 'good')
      : banner(html`<p>${countsText(reader, { faults, warnings })}</p>`, faults > 0 ? 'danger' : 'warn')
  return html`<p>${words.healthLast} ${timeTag(language, run.ranAt, 'UTC')}</p>
${summary}
${findingsOf(reader, run.verdicts)}
${section(
  words.healthChecks,
  table(
    words.consoleHealth,
    [words.healthCheck, words.healthExpected, words.healthFound].map((name) => ({ name })),
    run.verdicts.map((verdict) => [
      html`${nameOf(reader, verdict.check)}`,
      titleOf(reader, verdict),
      html`<span class="with-chip">${chip(verdictText(reader, verdict), lookOf(verdict))}${verdict.detail === undefined ? undefined : messageIn(reader, 'span', { text: verdict.detail, data: verdict.detailMessage })}</span>`,
    ]),
  ),
)}`
}

/** A row may be of another version, which has checks that this one does not know. */
const nameOf = ({ words }: Reader, check: string): string =>
  isCheck(words.checkNames, check) ? words.checkNames[check] : check

const titleOf = ({ words }: Reader, { check, about }: Verdict): Html =>
  isCheck(words.checkTitles, check)
    ? html`${words.checkTitles[check]}`
    : html`<span lang="en">${about}</span>`

const isCheck = <Texts extends object>(texts: Texts, name: PropertyKey): name is keyof Texts =>
  Object.hasOwn(texts, name)

const lookOf = ({ faults, warnings }: Verdict) => (faults > 0 ? 'danger' : warnings > 0 ? 'warn' : 'good')

const verdictText = (reader: Reader, { faults, warnings }: Verdict): string =>
  faults + warnings === 0 ? reader.words.healthOk : countsText(reader, { faults, warnings })

const countsText = (
  { words, language }: Reader,
  { faults, warnings }: { faults: number; warnings: number },
) =>
  [
    ...(faults > 0 ? [writeCount(language, words.healthFaults, faults)] : []),
    ...(warnings > 0 ? [writeCount(language, words.healthWarnings, warnings)] : []),
  ].join(', ')

function findingsOf(reader: Reader, verdicts: readonly Verdict[]): Html | undefined {
  const { words, language } = reader
  const shown = verdicts.flatMap(({ check, findings }) => findings.map((finding) => ({ check, ...finding })))
  if (shown.length === 0) return undefined
  const all = verdicts.reduce((sum, { faults, warnings, repaired }) => sum + faults + warnings + repaired, 0)
  const names = [
    words.healthCheck,
    words.jobsTenant,
    words.healthWhere,
    words.healthFinding,
    words.healthNext,
  ]
  const rows = shown.map(({ check, tenant, key, says, todo, messages, isFault }) => [
    chip(nameOf(reader, check), isFault ? 'danger' : 'warn'),
    tenant === undefined ? html`` : html`<a href="${tenantPath(tenant)}" dir="auto">${tenant}</a>`,
    html`<span class="breaks" dir="auto">${key}</span>`,
    messageIn(reader, 'span', { text: says, data: messages?.says }),
    messageIn(reader, 'span', { text: todo, data: messages?.todo }),
  ])
  const more = all - shown.length
  return section(
    words.healthFindings,
    html`${table(
      words.healthFindings,
      names.map((name) => ({ name })),
      rows,
    )}
${more > 0 ? html`<p class="soft">${writeCount(language, words.healthMore, more)}</p>` : undefined}`,
  )
}

export const healthPages: readonly ConsoleRoute[] = [
  { method: 'GET', path: 'health', handle: showHealth },
  { method: 'POST', path: 'health/run', page: 'health', handle: runChecks },
]
