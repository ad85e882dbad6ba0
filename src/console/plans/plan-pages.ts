import type { ConsoleRoute } from '../console-call.ts'
import { postPlan, showNewPlan, showPlans } from './plan-list.ts'
import { changePlan, removePlan, showPlan } from './plan-page.ts'

export const planPages: readonly ConsoleRoute[] = [
  { method: 'GET', path: 'plans', handle: showPlans },
  { method: 'POST', path: 'plans', page: 'plans/new', handle: postPlan },
  { method: 'GET', path: 'plans/new', access: 'operator', handle: showNewPlan },
  { method: 'GET', path: 'plans/-/{id}', handle: showPlan },
  { method: 'POST', path: 'plans/-/{id}', page: 'plans/-/{id}', handle: changePlan },
  { method: 'GET', path: 'plans/{id}', handle: showPlan },
  { method: 'POST', path: 'plans/{id}', page: 'plans/{id}', handle: changePlan },
  { method: 'POST', path: 'plans/{id}/delete', page: 'plans/{id}', handle: removePlan },
]
