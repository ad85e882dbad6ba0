import { hostname } from 'node:os'
import { listWork, type Work } from '../../control/index.ts'
import { type Html, html } from '../../lib/html.ts'
import { Refusal } from '../../lib/refusal.ts'
import { dataOfSentences } from '../../lib/sentences.ts'
import {
  askForBackup,
  askForVerification,
  type Backup,
  type BackupResult,
  listBackups,
  type VerificationResult,
} from '../../maintenance/index.ts'
import { tokenField } from '../../ui/form.ts'
import { messageIn } from '../../ui/message-words.ts'
import { submitButton } from '../../ui/parts/controls.ts'
import { chip, table } from '../../ui/parts/lists.ts'
import { banner, emptyState } from '../../ui/parts/states.ts'
import { orRefusal } from '../../ui/refused.ts'
import { timeTag, writeCount, writeNumber, writeSize } from '../../words/format.ts'
import {
  type ConsoleAnswer,
  type ConsoleCall,
  type ConsoleHandler,
  type ConsoleRoute,
  consolePath,
  installationOf,
  mayChange,
} from '../console-call.ts'
import { answerOfRefusal, consolePage } from '../frame.ts'
import { isUnderWay, whyFailed, workProgress } from '../work/work-progress.ts'

const showBackups: ConsoleHandler = async (call) => ({ page: await backupsPage(call) })

const takeBackup: ConsoleHandler = (call) =>
  orRefused(call, askForBackup(installationOf(call)), call.reader.words.backupsRunsAlready)

const verify: ConsoleHandler = (call) => {
  const { name = '' } = call.params
  const text = call.reader.words.backupsVerifyingAlready(name)
  return orRefused(call, askForVerification(installationOf(call), name), text)
}

async function orRefused(call: ConsoleCall, asking: Promise<Work>, text: string): Promise<ConsoleAnswer> {
  const asked = await orRefusal(asking)
  if (!(asked instanceof Refusal)) return { to: consolePath('backups') }
  if (asked.kind !== 'conflict') throw asked
  return answerOfRefusal(asked, await backupsPage(call, text))
}

async function backupsPage(call: ConsoleCall, refused?: string): Promise<string> {
  const { reader, app, control } = call
  const { words, language } = reader
  const { backups, older } = await listBackups(app.config)
  const taken = await listWork(control, 'backup')
  const verifications = await listWork(control, 'verify')
  const isRunning = taken.some(isUnderWay)
  const list =
    backups.length === 0
      ? isRunning
        ? undefined
        : emptyState({ title: words.backupsNone, text: words.backupsNoneText })
      : backupTable(call, backups, verifications)
  const content = html`<p class="soft"><span class="breaks">${words.backupsText(app.config.backupDir, hostname())}</span> ${words.backupsKeys}</p>
${refused === undefined ? undefined : banner(html`<p>${refused}</p>`, 'danger')}
${[...taken, ...verifications].filter(isUnderWay).map((work) => underWay(call, work))}
${outcomeOf(call, taken[0])}
${list}
${older > 0 ? html`<p class="soft">${writeCount(language, words.backupsOlder, older)}</p>` : undefined}`
  return consolePage(call, {
    part: 'backups',
    title: words.consoleBackups,
    actions: mayChange(call) && !isRunning ? takeForm(call) : undefined,
    content,
  })
}

const takeForm = ({ reader }: ConsoleCall): Html =>
  html`<form method="post" action="${consolePath('backups')}">${tokenField(reader)}${submitButton(reader.words.backupsTake)}</form>`

const underWay = ({ reader }: ConsoleCall, work: Work): Html =>
  html`<section class="section"><p>${work.kind === 'backup' ? reader.words.backupsRunning : reader.words.backupsVerifying(work.target)}</p>${workProgress(reader, work)}</section>`

/** What the last one lacks: that it is there says the list. */
function outcomeOf({ reader }: ConsoleCall, last: Work | undefined): Html | undefined {
  const { words } = reader
  if (last?.state === 'failed')
    return banner(html`<p>${words.backupsFailed}</p>${whyFailed(reader, last)}`, 'danger')
  const { notes, messages }: BackupResult = last?.state === 'done' ? (last.result as BackupResult) : noNotes
  if (notes.length === 0) return undefined
  const lines = notes.map((note, at) => messageIn(reader, 'p', { text: note, data: messages?.[at] }))
  return banner(html`<p>${words.backupsNotes}</p>${lines}`, 'danger')
}

const noNotes: BackupResult = { notes: [] }

function backupTable(call: ConsoleCall, backups: readonly Backup[], verifications: readonly Work[]): Html {
  const { words } = call.reader
  const columns = [
    { name: words.backupsName },
    { name: words.backupsMade },
    { name: words.backupsTenants },
    { name: words.backupsFiles, isNumber: true },
    { name: words.backupsSize, isNumber: true },
    { name: words.backupsState },
    ...(mayChange(call) ? [{ name: words.action }] : []),
  ]
  const rows = backups.map((backup) => {
    const last = verifications.find(({ target }) => target === backup.name)
    return cellsOf(call, backup, last)
  })
  return table(words.consoleBackups, columns, rows)
}

function cellsOf(call: ConsoleCall, backup: Backup, last: Work | undefined): Html[] {
  const { reader } = call
  const { words, language } = reader
  const { name, manifest, fault } = backup
  // A folder that was replaced by another backup of its name was not verified.
  const isOfIt = last && (!manifest || last.createdAt.toISOString() >= manifest.madeAt)
  const cells = [
    html`<span class="breaks" dir="auto">${name}</span>`,
    manifest ? timeTag(language, new Date(manifest.madeAt), 'UTC') : html`–`,
    html`${!manifest ? '–' : manifest.tenant === null ? writeNumber(language, manifest.tenants) : words.backupsOne(manifest.tenant)}`,
    html`${manifest ? writeNumber(language, manifest.files) : '–'}`,
    html`${manifest ? writeSize(language, manifest.bytes) : '–'}`,
    html`<div class="work-cell">${fault === undefined ? undefined : html`${chip(words.backupsUnreadable, 'danger')}${messageIn(reader, 'span', { text: fault.message, data: dataOfSentences(fault.messages)[0] })}`}${verificationOf(call, isOfIt ? last : undefined)}</div>`,
  ]
  const isFree = !last || !isUnderWay(last)
  return mayChange(call) ? [...cells, isFree ? verifyForm(call, name) : html``] : cells
}

function verificationOf({ reader }: ConsoleCall, last: Work | undefined): Html {
  const { words, language } = reader
  if (!last) return html`<span class="soft">${words.backupsNotVerified}</span>`
  if (isUnderWay(last)) return chip(words.workStates[last.state], 'accent')
  const when = last.finishedAt && timeTag(language, last.finishedAt, 'UTC')
  if (last.state !== 'done')
    return html`<span class="with-chip">${chip(words.workStates[last.state], 'danger')}${when}</span>${whyFailed(reader, last)}`
  const { damaged, messages } = last.result as VerificationResult
  if (damaged.length === 0)
    return html`<span class="with-chip">${chip(words.backupsVerified, 'good')}${when}</span>`
  return html`<span class="with-chip">${chip(words.backupsDamaged, 'danger')}${when}</span><ul class="breaks">${damaged.map((file, at) => messageIn(reader, 'li', { text: file, data: messages?.[at] }))}</ul>`
}

const verifyForm = ({ reader }: ConsoleCall, name: string): Html =>
  html`<form method="post" action="${consolePath(`backups/${encodeURIComponent(name)}/verify`)}">${tokenField(reader)}${submitButton(reader.words.backupsVerify, { look: 'plain', isDense: true, more: { 'aria-label': `${reader.words.backupsVerify}: ${name}` } })}</form>`

export const backupPages: readonly ConsoleRoute[] = [
  { method: 'GET', path: 'backups', handle: showBackups },
  { method: 'POST', path: 'backups', page: 'backups', handle: takeBackup },
  { method: 'POST', path: 'backups/{name}/verify', page: 'backups', handle: verify },
]
