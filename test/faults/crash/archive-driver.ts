// Opens the app on a data folder, and exports a tenant from it or imports one into it.
import { join } from 'node:path'
import { openApp } from '../../../src/app.ts'
import { readConfig } from '../../../src/config.ts'
import { exportTenant, importTenant, writeArchiveFile } from '../../../src/tenants/index.ts'
import { playRounds, say } from './rounds.ts'

const { ARCHIVE: archive = '' } = process.env

await playRounds(async ({ verb, folder }) => {
  const settings = { ...process.env, SERVICE_DATA_DIR: folder, SERVICE_LOG_LEVEL: 'silent' }
  const app = await openApp(readConfig(settings, '/'))
  const { control, requestSecret } = app
  return {
    async perform() {
      if (verb === 'import') await importTenant(control, { from: archive, requestSecret })
      else
        await writeArchiveFile(join(folder, 'cats.tar'), (file) =>
          exportTenant(control, file, { id: 'cats', requestSecret }),
        )
      say('done {}')
    },
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  }
})
