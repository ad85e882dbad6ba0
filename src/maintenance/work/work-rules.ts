import type { App } from '../../app.ts'
import type { WorkRules } from '../../control/index.ts'
import { examineApp } from '../doctor/doctor.ts'
import { writtenVerdicts } from '../doctor/health-runs.ts'
import { backupRules, verifyRules } from './backup-rules.ts'
import { serverMoveRules } from './moves.ts'

/** Every kind of long work: what it does, and what the audit log records of its end. */
export const workRules = (app: App): readonly WorkRules[] => [
  serverMoveRules(app),
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
