// Opens the app on a data folder, performs one verb, and says when it is done.
import { openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { playRounds, say } from './rounds.ts'
import { verbs } from './verbs.ts'

await playRounds(async ({ verb, folder }) => {
  const settings = { ...process.env, SERVICE_DATA_DIR: folder, SERVICE_LOG_LEVEL: 'silent' }
  const open = () => openApp(readConfig(settings, '/'))
  let app = verb === 'first start' ? undefined : await open()
  return {
    async perform() {
      app ??= await open()
      try {
        const answer = await verbs[verb]?.perform(app)
        say(`done ${JSON.stringify(answer ?? null)}`)
      } catch (error) {
        const { name, code, stack } = error as Error & { code?: string }
        say(name === 'Refusal' ? `refused ${code}` : `failed ${stack}`)
      }
    },
    async [Symbol.asyncDispose]() {
      await app?.[Symbol.asyncDispose]()
    },
  }
})
