import { Type } from 'typebox'
import type { Endpoint } from '../../http/endpoint.ts'
import { createPlan, deletePlan, editPlan, listPlans, readPlan } from '../../tenants/index.ts'
import { tenantFaults } from './body-faults.ts'
import { newPlanExample, planExample } from './examples.ts'
import { bodyRefusals, conflict, noContent, noSuchPlan, signedRefusals } from './responses.ts'
import {
  idOf,
  NewPlanBody,
  ofPlan,
  PlanEditBody,
  type PlanFields,
  PlanObject,
  readPlanValues,
  writePlan,
} from './wire.ts'

export const getPlans: Endpoint = {
  tag: 'Plans',
  summary: 'List plans',
  access: 'signed',
  responses: {
    200: { description: 'All plans, by id.', schema: Type.Array(PlanObject), example: [planExample] },
    ...signedRefusals,
  },
  handle: () => async (request) => (await listPlans(request.control)).map(writePlan),
}

export const postPlan: Endpoint = {
  tag: 'Plans',
  summary: 'Create a plan',
  access: 'signed',
  body: NewPlanBody,
  bodyExample: newPlanExample,
  bodyFaults: tenantFaults,
  responses: {
    201: {
      description: 'The plan.',
      headers: { Location: 'The address of the plan' },
      schema: PlanObject,
      example: planExample,
    },
    ...bodyRefusals,
    409: conflict('The id is taken.', 'There is already a plan "small".'),
  },
  handle: () => async (request, reply) => {
    const body = request.checkedBody as { id: string } & PlanFields
    const plan = await createPlan(request.control, { id: body.id, ...readPlanValues(body) })
    return reply.code(201).header('location', `/_/api/4/tenants-plans/${plan.id}`).send(writePlan(plan))
  },
}

export const getPlan: Endpoint = {
  tag: 'Plans',
  summary: 'Read a plan',
  access: 'signed',
  params: ofPlan,
  responses: {
    200: { description: 'The plan.', schema: PlanObject, example: planExample },
    ...signedRefusals,
    404: noSuchPlan,
  },
  handle: () => async (request) => writePlan(await readPlan(request.control, idOf(request))),
}

export const patchPlan: Endpoint = {
  tag: 'Plans',
  summary: 'Change a plan',
  description:
    'The change applies to its tenants immediately. Omitted fields keep their values. `limits` ' +
    'and `env` replace the whole map, and null empties it.',
  access: 'signed',
  params: ofPlan,
  body: PlanEditBody,
  bodyExample: { limits: { SERVICE_MAX_USERS: '20' } },
  bodyFaults: tenantFaults,
  responses: { 204: noContent, ...bodyRefusals, 404: noSuchPlan },
  handle: () => async (request, reply) => {
    await editPlan(request.control, idOf(request), readPlanValues(request.checkedBody as PlanFields))
    return reply.code(204).send()
  },
}

export const deletePlanEndpoint: Endpoint = {
  tag: 'Plans',
  summary: 'Delete a plan',
  description: 'Its tenants then have no plan.',
  access: 'signed',
  params: ofPlan,
  responses: { 204: noContent, ...signedRefusals, 404: noSuchPlan },
  handle: () => async (request, reply) => {
    await deletePlan(request.control, idOf(request))
    return reply.code(204).send()
  },
}
