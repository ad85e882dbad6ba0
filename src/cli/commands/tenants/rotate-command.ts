import type { App } from '../../../app.ts'
import { resealInstallation } from '../../../control/index.ts'
import { resealEnv, rotateKeys } from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'
import { progressOn } from '../../terminal/progress.ts'

const setting = 'SERVICE_ENCRYPTION_KEY'

export async function rotate(session: Session): Promise<void> {
  await using app = await session.openApp()
  const resealed = await reseal(session, app)
  session.answer({ resealed, retired: app.keyFile !== undefined }, () => {
    const values = `${resealed} ${resealed === 1 ? 'value is' : 'values are'} encrypted with`
    return app.keyFile
      ? `${values} a new key; the old key is deleted.`
      : `${values} the first key of ${setting}.`
  })
  if (!app.keyFile) session.note(nextStep(app.config.encryptionKeys?.length ?? 0))
}

async function reseal(session: Session, { control, keyFile }: App): Promise<number> {
  using progress = progressOn(session.err, 'values encrypted again:')
  if (keyFile) return await rotateKeys(control, keyFile, progress.step)
  // Keys from the environment are the operator's: they are neither created nor deleted here.
  await resealInstallation(control)
  return await resealEnv(control, progress.step)
}

const nextStep = (keys: number) =>
  keys > 1
    ? `When every server runs with this list of keys, repeat this command once, then shorten ${setting} to its first key.`
    : `To change the key, put a new one first in ${setting} (NEW,OLD) on every server, and repeat this command.`
