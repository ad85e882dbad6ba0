import type { ConsoleRoute } from '../console-call.ts'
import { valueFields } from '../values/value-form.ts'
import { postPlan, showNewPlan, showPlans } from './plan-list.ts'
import { changePlan, removePlan, showPlan } from './plan-page.ts'

export const planPages: readonly ConsoleRoute[] = [
  { method: 'GET', path: 'plans', handle: showPlans },
  { method: 'POST', path: 'plans', page: 'plans/new', keeps: ['id'], handle: postPlan },
  { method: 'GET', path: 'plans/new', access: 'operator', handle: showNewPlan },
  { method: 'GET', path: 'plans/-/{id}', handle: showPlan },
  { method: 'POST', path: 'plans/-/{id}', page: 'plans/-/{id}', keeps: valueFields, handle: changePlan },
  { method: 'GET', path: 'plans/{id}', handle: showPlan },
  { method: 'POST', path: 'plans/{id}', page: 'plans/{id}', keeps: valueFields, handle: changePlan },
  { method: 'POST', path: 'plans/{id}/delete', page: 'plans/{id}', handle: removePlan },
]
