import type { App } from '../../../app.ts'
import { editTenant, type MoveStep, moveTenant, readTenant } from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'
import { progressOn } from '../../terminal/progress.ts'

interface MoveValues {
  id: string
  database?: string
  storage?: string
}

export async function move(session: Session, { id, ...urls }: MoveValues): Promise<void> {
  await using app = await session.openApp()
  await setValues(app, id, urls)
  const moved = await withMoveProgress(session, (onStep) => moveTenant(app.control, id, onStep))
  const json = {
    moved: moved.isMoved,
    files: moved.files,
    rows: moved.rows,
    held_ms: moved.heldMs,
    lost: moved.lost,
    cleaned: moved.isCleaned,
  }
  session.answer(json, () => {
    const details = `${moved.files} files and ${moved.rows} rows copied; writes were refused for ${moved.heldMs} ms`
    return moved.isMoved
      ? `Moved ${id}: ${details}.`
      : `${id} is already at the location that its settings name.`
  })
  if (moved.lost.length > 0) {
    const some = moved.lost.slice(0, maxListed).join(', ')
    session.note(
      `The bytes of these files were missing before the move: ${some}${moved.lost.length > maxListed ? ', …' : ''}. See: terrace doctor --id ${id}`,
    )
  }
  if (!moved.isCleaned) {
    session.note('The old copy could not be removed yet. The background jobs try again every minute.')
  }
}

const maxListed = 20

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

const labels: Readonly<Record<MoveStep, string>> = {
  files: 'files copied:',
  rows: 'rows copied:',
  cleaning: 'removing the old copy',
}

async function withMoveProgress<T>(
  session: Session,
  work: (onStep: (step: MoveStep, done: number) => void) => Promise<T>,
): Promise<T> {
  const lines = new Map<MoveStep, ReturnType<typeof progressOn>>()
  try {
    return await work((step, done) => {
      const line = lines.get(step) ?? progressOn(session.err, labels[step])
      lines.set(step, line)
      line.step(done)
    })
  } finally {
    for (const line of lines.values()) line[Symbol.dispose]()
  }
}
