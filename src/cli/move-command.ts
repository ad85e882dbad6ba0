import type { App } from '../app.ts'
import { editTenant, type MoveStep, moveTenant, readTenant } from '../tenants/index.ts'
import { progressOn } from './progress.ts'
import type { Session } from './session.ts'

interface MoveValues {
  id: string
  database?: string
  storage?: string
}

export async function move(session: Session, { id, ...urls }: MoveValues): Promise<void> {
  await using app = await session.openApp()
  await setValues(app, id, urls)
  const moved = await withSteps(session, (onStep) => moveTenant(app.control, id, onStep))
  const json = {
    moved: moved.isMoved,
    files: moved.files,
    rows: moved.rows,
    held_ms: moved.heldMs,
    cleaned: moved.isCleaned,
  }
  session.answer(json, () => {
    const how = `${moved.files} files and ${moved.rows} rows copied; writing was refused for ${moved.heldMs} ms`
    return moved.isMoved ? `${id} is moved: ${how}.` : `${id} is where its values say.`
  })
  if (!moved.isCleaned) {
    session.note(
      'Its old copy could not be removed yet. That is tried again every minute by the jobs of a server.',
    )
  }
}

async function setValues(app: App, id: string, { database, storage }: Omit<MoveValues, 'id'>): Promise<void> {
  if (database === undefined && storage === undefined) return
  const { env } = await readTenant(app.control, id)
  await editTenant(app.control, id, {
    env: {
      ...env,
      ...(database === undefined ? {} : { SERVICE_DATABASE_URL: database }),
      ...(storage === undefined ? {} : { SERVICE_STORAGE_URL: storage }),
    },
  })
}

const words: Readonly<Record<MoveStep, string>> = {
  files: 'files copied:',
  rows: 'rows copied:',
  cleaning: 'removing the old copy',
}

async function withSteps<T>(
  session: Session,
  work: (onStep: (step: MoveStep, done: number) => void) => Promise<T>,
): Promise<T> {
  const lines = new Map<MoveStep, ReturnType<typeof progressOn>>()
  try {
    return await work((step, done) => {
      const line = lines.get(step) ?? progressOn(session.err, words[step])
      lines.set(step, line)
      line.step(done)
    })
  } finally {
    for (const line of lines.values()) line[Symbol.dispose]()
  }
}
