import { Type } from 'typebox'
import type { Endpoint } from '../../http/endpoint.ts'
import { orNull } from '../../http/fields.ts'
import { readControlCursor, writeControlCursor } from '../../http/responses/cursors.ts'
import { PageOf, pageParameters, usualLimit } from '../../http/wire/pages.ts'
import { readQuery } from '../../http/wire/query.ts'
import { invalidFields } from '../../lib/refusal.ts'
import { type Preview, previewPlan, previewTenant } from '../../tenants/index.ts'
import { previewExample } from './examples.ts'
import { patchPlan } from './plans.ts'
import { patchTenant } from './tenants.ts'
import { idOf, type PlanFields, readPlanValues, readTenantEdit, type TenantFields } from './wire.ts'

const previewFields = {
  effective: Type.Record(
    Type.String(),
    Type.Object({
      from: orNull(Type.String(), 'The value before; null if it is not set'),
      to: orNull(Type.String(), 'The value after; null if it is not set'),
      level: orNull(Type.String(), 'Where it is set after; null if it is not set'),
      from_level: orNull(Type.String(), 'Where it is set before; null if it is not set'),
    }),
    { description: 'Every value, of limits and environment, that changes or is then set elsewhere' },
  ),
  exceeded: Type.Array(
    Type.Object({
      limit: Type.String({ description: 'The name of the limit' }),
      value: Type.Integer({ description: 'Its value after' }),
      used: Type.Integer({
        description: 'What the site uses; for a limit of each user, what the user who uses most does',
      }),
    }),
    { description: 'Limits that the site would be above, by name' },
  ),
  refused: Type.Array(Type.String(), {
    description: 'The names of limits that would leave no room for one more',
  }),
  moves: Type.Boolean({
    description: 'Whether the settings would name another database or storage than the one with the data',
  }),
}

export const writePreview = ({ changes, exceeded, refused, moves }: Preview) => ({
  effective: Object.fromEntries(
    [...changes].map(([name, { from, to }]) => [
      name,
      {
        from: from?.value ?? null,
        to: to?.value ?? null,
        level: to?.level ?? null,
        from_level: from?.level ?? null,
      },
    ]),
  ),
  exceeded: exceeded.map(({ name, value, used }) => ({ limit: name, value, used })),
  refused: refused.map(({ name }) => name),
  moves,
})

export const writeTenantPreview = (preview: Preview) => ({
  tenant: preview.tenant,
  ...writePreview(preview),
})

/** A preview accepts and refuses what the change itself does. */
const { 204: _tenantChanged, ...tenantRefusals } = patchTenant.responses
const { 204: _planChanged, ...planRefusals } = patchPlan.responses

export const postTenantPreview: Endpoint = {
  ...patchTenant,
  summary: 'Preview a change of a tenant',
  description:
    'Accepts what PATCH of the tenant accepts, refuses what it refuses, and answers what it would do. Changes nothing.',
  responses: {
    200: {
      description: 'What the change would do.',
      schema: Type.Object(previewFields),
      example: previewExample,
    },
    ...tenantRefusals,
  },
  handle: () => async (request) => {
    const edit = readTenantEdit(request.checkedBody as TenantFields)
    return writePreview(await previewTenant(request.control, idOf(request), edit))
  },
}

const PlanPreviewQuery = Type.Object(pageParameters)

export const postPlanPreview: Endpoint = {
  ...patchPlan,
  summary: 'Preview a change of a plan',
  description:
    'Accepts what PATCH of the plan accepts, refuses what it refuses, and answers what it would do to each ' +
    'tenant of the plan. Send the same body for each page. Changes nothing.',
  query: PlanPreviewQuery,
  responses: {
    200: {
      description: 'A page of the tenants of the plan, by id.',
      schema: PageOf(
        Type.Object({ tenant: Type.String({ description: 'The id of the tenant' }), ...previewFields }),
      ),
      example: { data: [{ tenant: 'cats', ...previewExample }], next_cursor: null },
    },
    ...planRefusals,
  },
  handle: (app) => async (request) => {
    const { values, faults } = readQuery(PlanPreviewQuery, request.url)
    if (faults.length > 0) throw invalidFields(faults, 'invalid-fields')
    const { limit = usualLimit, cursor } = values as { limit?: number; cursor?: string }
    const id = idOf(request)
    const edit = readPlanValues(request.checkedBody as PlanFields)
    const list = { list: 'plan preview', sort: 'id', filter: { id, ...edit } }
    const after = readControlCursor<string>(app, list, cursor) ?? ''
    const { previews, next } = await previewPlan(request.control, id, edit, { after, limit })
    return {
      data: previews.map(writeTenantPreview),
      next_cursor: next === undefined ? null : writeControlCursor(app, list, next),
    }
  },
}
