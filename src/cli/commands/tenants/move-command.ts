import type { App } from '../../../app.ts'
import { moveHere } from '../../../maintenance/index.ts'
import { editTenant, type Moved, type MoveStep, MoveStopped, readTenant } from '../../../tenants/index.ts'
import type { Session } from '../../session.ts'
import { progressOn } from '../../terminal/progress.ts'

interface MoveValues {
  id: string
  database?: string
  storage?: string
  'accept-missing'?: string
}

export async function move(
  session: Session,
  { id, 'accept-missing': accepted, ...urls }: MoveValues,
): Promise<void> {
  await using app = await session.openApp()
  await setValues(app, id, urls)
  const acceptMissing = accepted?.split(',').map((key) => key.trim())
  const moved = await withMoveProgress(session, (onStep) =>
    moveHere(app, id, { onStep, ...(acceptMissing ? { acceptMissing } : {}) }),
  ).catch((error) => {
    if (session.isJson && error instanceof MoveStopped)
      session.answer({ moved: false, missing: error.missing, damaged: error.damaged }, () => '')
    throw error
  })
  const json = {
    moved: moved.isMoved,
    files: moved.files,
    rows: moved.rows,
    held_ms: moved.heldMs,
    lost: moved.missing,
    cleaned: moved.isCleaned,
  }
  session.answer(json, () => {
    const details = `${moved.files} files and ${moved.rows} rows copied; writes were refused for ${moved.heldMs} ms`
    return moved.isMoved
      ? `Moved ${id}: ${details}.`
      : `${id} is already at the location that its settings name.`
  })
  if (moved.missing.length > 0) session.note(missingNote(moved, id))
  if (!moved.isCleaned) {
    session.note('The old copy could not be removed yet. A background job will try again.')
  }
}

const maxListed = 20

function missingNote({ missing }: Moved, id: string): string {
  const some = missing.slice(0, maxListed).join(', ') + (missing.length > maxListed ? ', …' : '')
  return `Moved without the bytes of ${some}, as you accepted. The old copy is kept until these files are deleted or repaired. See: terrace doctor --id ${id}`
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
      const line = lines.get(step) ?? progressOn(session.err, { label: labels[step] })
      lines.set(step, line)
      line.step(done)
    })
  } finally {
    for (const line of lines.values()) line[Symbol.dispose]()
  }
}
