import type { App } from '../app.ts'
import { doJobs, prepareInstallation, timetable } from '../jobs/index.ts'
import { Refusal } from '../lib/refusal.ts'
import { faultText, readTenant, type Visit } from '../tenants/index.ts'
import { progressOn } from './progress.ts'
import type { Session } from './session.ts'
import { watchStopSignals } from './stop-signals.ts'
import { type Column, tableOf } from './table.ts'

interface WorkerOptions {
  id?: string
  once?: boolean
}

/** The work that `serve` does too, in a process of its own; both may run at once. */
export async function work(session: Session, { id, once = false }: WorkerOptions): Promise<void> {
  using stop = watchStopSignals()
  await using app = await session.openApp()
  const only = id === undefined ? undefined : await siteOf(app, id)
  const halt = new AbortController()
  void stop.asked.then(() => halt.abort())
  await prepareInstallation(app)
  const visits: Visit[] = []
  let count = 0
  using progress = progressOn(session.err, 'tenants visited')
  const onVisit = (visit: Visit) => {
    count += 1
    progress.step(count)
    // What a worker that goes on for ever has done is told at once, and not kept.
    if (once) visits.push(visit)
    else if (isWorthTelling(visit)) session.answer(jsonOf(visit), () => lineOf(visit))
  }
  if (!once) session.note('Working; SIGTERM or Ctrl-C ends it.')
  await doJobs(app, { signal: halt.signal, only, isOnce: once, onVisit })
  if (once) tellAll(session, visits)
}

async function siteOf(app: App, id: string): Promise<number> {
  const tenant = await readTenant(app.control, id)
  if (!tenant.isInstalled)
    throw new Refusal('conflict', 'not-installed', `The tenant "${id}" is not installed.`)
  return tenant.site
}

function tellAll(session: Session, visits: readonly Visit[]): void {
  session.answerList(visits.map(jsonOf), () => tableOf(session.out, columns, visits), {
    ifEmpty: 'Nothing is due.',
  })
  const failed = visits.filter(({ outcome }) => outcome === 'failed')
  if (failed.length === 0) return
  const list = failed.map((visit) => `${nameOf(visit)}: ${faultText(visit.fault)}`)
  throw new Refusal('unavailable', 'some-failed', `${failed.length} of ${visits.length} visits failed:`, {
    list,
  })
}

const isWorthTelling = ({ outcome, done }: Visit) =>
  outcome !== 'done' || Object.values(done).some((count) => count > 0)

const nameOf = ({ tenant, site }: Visit) => tenant ?? (site === 0 ? '(installation)' : `(site ${site})`)

const jsonOf = (visit: Visit) => ({
  ...{ id: visit.tenant ?? null, outcome: visit.outcome, done: visit.done },
  seconds: Number(visit.seconds.toFixed(3)),
  ...(visit.fault === undefined ? {} : { fault: faultText(visit.fault) }),
})

const columns: readonly Column<Visit>[] = [
  { title: 'tenant', value: nameOf },
  { title: 'outcome', value: ({ outcome }) => outcome, style: styleOf },
  { title: 'done', value: doneText },
  { title: 'seconds', value: ({ seconds }) => seconds.toFixed(2), isRight: true },
]

function styleOf({ outcome }: Visit) {
  return outcome === 'failed' ? 'red' : outcome === 'done' ? 'green' : 'yellow'
}

const words = new Map([...timetable.sites, ...timetable.installation].map(({ name, does }) => [name, does]))

function doneText({ done }: Visit): string {
  const parts = Object.entries(done).filter(([, count]) => count > 0)
  return parts.map(([name, count]) => `${count} ${words.get(name) ?? name}`).join(', ') || 'nothing to do'
}

function lineOf(visit: Visit): string {
  const trouble = visit.fault === undefined ? '' : `: ${faultText(visit.fault)}`
  return `${nameOf(visit)}\t${visit.outcome}\t${doneText(visit)}\t${visit.seconds.toFixed(2)} s${trouble}`
}
