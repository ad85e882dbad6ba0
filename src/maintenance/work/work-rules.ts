import type { App } from '../../app.ts'
import type { WorkRules } from '../../control/index.ts'
import { moveTenant } from '../../tenants/index.ts'
import { examineApp } from '../doctor/doctor.ts'
import { writtenVerdicts } from '../doctor/health-runs.ts'
import { backupRules, verifyRules } from './backup-rules.ts'

/** Every kind of long work: what it does, and what the audit log records of its end. */
export const workRules = (app: App): readonly WorkRules[] => [
  {
    kind: 'move',
    async run(control, { target }, { signal, onStep }) {
      // The transaction that hands the site over records that the move has finished.
      const moved = await moveTenant(control, target, { signal, onProgress: onStep, isAsked: true })
      return { result: moved }
    },
    failed: 'move.failed',
    cancelled: 'move.cancelled',
  },
  backupRules(app),
  verifyRules(app),
  {
    kind: 'health',
    async run(control, _work, { signal, onStep }) {
      const verdicts = await examineApp(
        { ...app, control },
        {
          onStep(done, total) {
            signal.throwIfAborted()
            onStep(done, total, 'sites')
          },
        },
      )
      return { result: writtenVerdicts(verdicts) }
    },
  },
]
