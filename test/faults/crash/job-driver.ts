// Opens the app on a data folder with a clock that is ahead by as many seconds as it is told, and does what is due.
import { openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { doJobs } from '../../../src/jobs/index.ts'
import { playRounds, say } from './rounds.ts'

await playRounds(async ({ verb: seconds, folder }) => {
  const clock = { now: () => new Date(Date.now() + Number(seconds) * 1_000) }
  const settings = { ...process.env, SERVICE_DATA_DIR: folder, SERVICE_LOG_LEVEL: 'silent' }
  const app = await openApp(readConfig(settings, '/'), clock)
  return {
    async perform() {
      await doJobs(app, { signal: new AbortController().signal, isOnce: true })
      say('done {}')
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
})
