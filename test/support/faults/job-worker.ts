// Run as a process of its own: a worker on an installation, at the time that a file tells.
// It prints the outcome of each job run, and ends when it is stopped.
import { readFileSync, writeSync } from 'node:fs'
import { openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { doJobs } from '../../../src/jobs/index.ts'

const [environment = '{}', clockPath = ''] = process.argv.slice(2)

const clock = { now: () => new Date(Date.now() + Number(readFileSync(clockPath, 'utf8')) * 1_000) }
const stop = new AbortController()
process.on('SIGTERM', () => stop.abort())

await using app = await openApp(readConfig(JSON.parse(environment), '/'), clock)
writeSync(1, '"up"\n')
await doJobs(app, {
  signal: stop.signal,
  pollEveryMs: 50,
  onRun: ({ fault, ...run }) =>
    writeSync(1, `${JSON.stringify({ ...run, fault: fault && String(fault) })}\n`),
})
