import { Type } from 'typebox'
import { createPlan, deletePlan, editPlan, listPlans, readPlan } from '../../tenants/index.ts'
import type { Endpoint } from '../endpoint.ts'
import { idOf } from '../params.ts'
import { bodyRefusals, noContent, refusals, signedRefusals } from './answers.ts'
import { newPlanExample, planExample } from './examples.ts'
import { NewPlanBody, NoBody, PlanEditBody, type PlanFields, PlanObject, readPlanValues, writePlan } from './wire.ts'

export const getPlans: Endpoint = {
  summary: 'List plans',
  access: 'signed',
  answers: {
    200: { description: 'All plans, by id.', schema: Type.Array(PlanObject), example: [planExample] },
    ...signedRefusals,
  },
  handle: (app) => async () => (await listPlans(app.control)).map(writePlan),
}

export const postPlan: Endpoint = {
  summary: 'Create a plan',
  access: 'signed',
  body: NewPlanBody,
  bodyExample: newPlanExample,
  answers: {
    201: { description: 'The plan; `Location` is its address.', schema: PlanObject, example: planExample },
    ...bodyRefusals,
    ...refusals(409),
  },
  handle: (app) => async (request, reply) => {
    const body = request.checkedBody as { id: string } & PlanFields
    const plan = await createPlan(app.control, { id: body.id, ...readPlanValues(body) })
    return reply.code(201).header('location', `/_/api/4/tenants-plans/${plan.id}`).send(writePlan(plan))
  },
}

export const getPlan: Endpoint = {
  summary: 'Read a plan',
  access: 'signed',
  answers: {
    200: { description: 'The plan.', schema: PlanObject, example: planExample },
    ...signedRefusals,
    ...refusals(404),
  },
  handle: (app) => async (request) => writePlan(await readPlan(app.control, idOf(request))),
}

export const patchPlan: Endpoint = {
  summary: 'Change a plan',
  description: 'Its tenants follow at once. `limits` and `env` replace the whole map.',
  access: 'signed',
  body: PlanEditBody,
  bodyExample: { limits: { SERVICE_MAX_USERS: '20' } },
  answers: { 204: noContent, ...bodyRefusals, ...refusals(404) },
  handle: (app) => async (request, reply) => {
    await editPlan(app.control, idOf(request), readPlanValues(request.checkedBody as PlanFields))
    return reply.code(204).send()
  },
}

export const deletePlanEndpoint: Endpoint = {
  summary: 'Delete a plan',
  description: 'Its tenants are left without a plan.',
  access: 'signed',
  body: NoBody,
  answers: { 204: noContent, ...signedRefusals, ...refusals(404) },
  handle: (app) => async (request, reply) => {
    await deletePlan(app.control, idOf(request))
    return reply.code(204).send()
  },
}
