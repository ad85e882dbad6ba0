import {
  doJobs,
  installedSite,
  type JobRun,
  prepareInstallation,
  runJobsNow,
  schedule,
} from '../../../jobs/index.ts'
import { Refusal } from '../../../lib/refusal.ts'
import { faultText } from '../../../scheduling/index.ts'
import type { Session } from '../../session.ts'
import { progressOn } from '../../terminal/progress.ts'
import { watchStopSignals } from '../../terminal/stop-signals.ts'
import { type Column, tableOf } from '../../terminal/table.ts'

interface WorkerOptions {
  id?: string
  once?: boolean
}

/** Runs the background jobs in a process of its own. `serve` runs them too; both may run at the same time. */
export async function work(session: Session, { id, once = false }: WorkerOptions): Promise<void> {
  using stop = watchStopSignals()
  await using app = await session.openApp()
  const only = id === undefined ? undefined : await installedSite(app, id)
  const halt = new AbortController()
  void stop.requested.then(() => halt.abort())
  await prepareInstallation(app)
  const runs: JobRun[] = []
  let count = 0
  using progress = progressOn(session.err, { label: 'tenants done' })
  const onRun = (run: JobRun) => {
    count += 1
    progress.step(count)
    // Without --once the worker never ends: print each run immediately instead of collecting them.
    if (once) runs.push(run)
    else if (isWorthPrinting(run)) session.answer(jsonOf(run), () => lineOf(run))
  }
  const shortage = once ? undefined : await app.control.store.connectionWarning()
  if (shortage !== undefined) session.warn(shortage)
  if (!once) session.note('Running jobs; stop with SIGTERM or Ctrl-C.')
  if (!once) await doJobs(app, { signal: halt.signal, only, onRun })
  else {
    await runJobsNow(app, { id, signal: halt.signal, onRun })
    printAll(session, runs)
  }
}

function printAll(session: Session, runs: readonly JobRun[]): void {
  session.answerList(runs.map(jsonOf), () => tableOf(session.out, columns, runs), {
    ifEmpty: 'Nothing is due.',
  })
  const failed = runs.filter(({ outcome }) => outcome === 'failed')
  if (failed.length === 0) return
  const list = failed.map((run) => `${nameOf(run)}: ${faultText(run.fault)}`)
  throw new Refusal('unavailable', 'some-failed', `${failed.length} of ${runs.length} job runs failed:`, {
    list,
  })
}

const isWorthPrinting = ({ outcome, done }: JobRun) =>
  outcome !== 'done' || Object.values(done).some((count) => count > 0)

const nameOf = ({ tenant, site }: JobRun) => tenant ?? (site === 0 ? '(installation)' : `(site ${site})`)

const jsonOf = (run: JobRun) => ({
  id: run.tenant ?? null,
  outcome: run.outcome,
  done: run.done,
  seconds: Number(run.seconds.toFixed(3)),
  ...(run.fault === undefined ? {} : { fault: faultText(run.fault) }),
})

const columns: readonly Column<JobRun>[] = [
  { title: 'tenant', value: nameOf },
  { title: 'outcome', value: ({ outcome }) => outcome, style: styleOf },
  { title: 'done', value: doneText },
  { title: 'seconds', value: ({ seconds }) => seconds.toFixed(2), isRight: true },
]

function styleOf({ outcome }: JobRun) {
  return outcome === 'failed' ? 'red' : outcome === 'done' ? 'green' : 'yellow'
}

const labels = new Map([...schedule.sites, ...schedule.installation].map(({ name, does }) => [name, does]))

function doneText({ done }: JobRun): string {
  const parts = Object.entries(done).filter(([, count]) => count > 0)
  return parts.map(([name, count]) => `${count} ${labels.get(name) ?? name}`).join(', ') || 'nothing to do'
}

function lineOf(run: JobRun): string {
  const fault = run.fault === undefined ? '' : `: ${faultText(run.fault)}`
  return `${nameOf(run)}\t${run.outcome}\t${doneText(run)}\t${run.seconds.toFixed(2)} s${fault}`
}
