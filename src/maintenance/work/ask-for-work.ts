import type { App } from '../../app.ts'
import { insertNewWork, type Work } from '../../control/index.ts'
import { startOfBackup } from '../backup/backup.ts'
import { healthRunAsked } from '../doctor/health-runs.ts'
import { workRuns } from '../errors.ts'
import { folderOfBackup } from './backup-folder.ts'

/** Backs everything up into the folder of the server that takes the work, in a folder named after the time. */
export async function askForBackup({ control, work }: App): Promise<Work> {
  const name = control.clock.now().toISOString().replaceAll(/[:.]/g, '-')
  const asked = await insertNewWork(control, {
    kind: 'backup',
    target: name,
    change: startOfBackup(name),
    checkBeside(unfinished) {
      if (unfinished.length > 0) throw workRuns('backup-runs', 'A backup is already being taken.')
    },
  })
  work.wake()
  return asked
}

/** Its end is recorded, with how many files are damaged. */
export async function askForVerification({ config, control, work }: App, name: string): Promise<Work> {
  await folderOfBackup(config, name)
  const asked = await insertNewWork(control, {
    kind: 'verify',
    target: name,
    checkBeside(unfinished) {
      if (unfinished.some(({ target }) => target === name))
        throw workRuns('verification-runs', `The backup ${name} is already being verified.`)
    },
  })
  work.wake()
  return asked
}

export async function askForHealth({ control, work }: App): Promise<Work> {
  const asked = await insertNewWork(control, {
    kind: 'health',
    target: '',
    change: healthRunAsked(),
    checkBeside(unfinished) {
      if (unfinished.length > 0) throw workRuns('health-runs', 'The checks are already running.')
    },
  })
  work.wake()
  return asked
}
