import type { App } from '../app.ts'
import { leaveMark } from '../control/index.ts'
import { resealEnv, rotateKeys } from '../tenants/index.ts'
import { progressOn } from './progress.ts'
import type { Session } from './session.ts'

const setting = 'SERVICE_ENCRYPTION_KEY'

export async function rotate(session: Session): Promise<void> {
  await using app = await session.openApp()
  const resealed = await reseal(session, app)
  session.answer({ resealed, retired: app.keyFile !== undefined }, () => {
    const what = `${resealed} encrypted ${resealed === 1 ? 'value is' : 'values are'} sealed with`
    return app.keyFile ? `${what} a new key; the old one is gone.` : `${what} the first key of ${setting}.`
  })
  if (!app.keyFile) session.note(nextStep(app.config.encryptionKeys?.length ?? 0))
}

async function reseal(session: Session, { control, keyFile }: App): Promise<number> {
  using progress = progressOn(session.err, 'encrypted values sealed anew:')
  if (keyFile) return await rotateKeys(control, keyFile, progress.step)
  // Keys that are given stay in the hands of who gives them.
  await leaveMark(control)
  return await resealEnv(control, progress.step)
}

const nextStep = (keys: number) =>
  keys > 1
    ? `When every server runs with this list of keys, repeat this once, then shorten ${setting} to its first key.`
    : `To change the key, put a new one in front in ${setting} (NEW,OLD) on every server, and repeat this.`
