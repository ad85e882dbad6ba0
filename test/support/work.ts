import assert from 'node:assert/strict'
import type { TestConsole } from './console.ts'
import type { TestApp } from './harness.ts'
import { until } from './until.ts'

/** The rows of long work, the oldest first. */
export const workOf = ({ app }: Pick<TestApp, 'app'>) =>
  app.control.store.control.selectFrom('work').selectAll().orderBy('createdAt').orderBy('id').execute()

/** Waits until all work has ended. */
export async function workEnded(app: Pick<TestApp, 'app'>) {
  await until(
    async () => (await workOf(app)).every(({ finishedAt }) => finishedAt !== null),
    'all work has ended',
  )
  return workOf(app)
}

/** Verb, target, kind and name of the author, of what is in the audit log about work. */
export async function recordedWork({ app }: Pick<TestApp, 'app'>): Promise<string[]> {
  const rows = await app.control.store.control
    .selectFrom('controlAudit')
    .select(['verb', 'target', 'actor', 'actorName'])
    .orderBy('sequence')
    .execute()
  return rows
    .filter(({ verb }) => /^(move|backup|health|job)\./.test(verb))
    .map(({ verb, target, actor, actorName }) => [verb, target, actor, actorName].filter(Boolean).join(' '))
}

/** Starts a move in the console; returns its id. */
export async function startMove({ console }: TestConsole, id: string): Promise<string> {
  const { status, headers, text } = await console.post(`tenants/${id}/move`)
  assert.equal(status, 303, text)
  const [, move = ''] = /^\/_\/console\/moves\/(\w+)$/.exec(headers.location ?? '') ?? []
  assert.notEqual(move, '')
  return move
}
