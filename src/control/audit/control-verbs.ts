/** Every kind of change that the audit log of the installation records. */
export const controlVerbs = [
  'tenant.created',
  'tenant.updated',
  'tenant.installed',
  'tenant.deleted',
  'plan.created',
  'plan.updated',
  'plan.deleted',
  'user.password_reset',
  'env.revealed',
  'env.rotated',
  'move.started',
  'move.finished',
  'move.failed',
  'move.cancelled',
  'job.run',
  'health.run',
  'backup.started',
  'backup.finished',
  'backup.verified',
  'key.created',
  'key.deleted',
  'operator.created',
  'operator.set_up',
  'operator.updated',
  'operator.reset',
  'operator.deleted',
  'session.created',
  'session.failed',
  'session.ended',
  // The log itself: an operator has accepted it after a finding of the doctor, or a restore has put it back.
  'audit.signed',
] as const

export type ControlVerb = (typeof controlVerbs)[number]

export const isControlVerb = (text: string): text is ControlVerb =>
  (controlVerbs as readonly string[]).includes(text)
