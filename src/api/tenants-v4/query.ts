import type { FastifyRequest } from 'fastify'
import type { TObject } from 'typebox'
import { refused } from '../../http/openapi/described-refusal.ts'
import { type ReadQuery, readQuery } from '../../http/wire/query.ts'
import type { Fault } from '../../lib/faults.ts'
import { invalidFields } from '../../lib/refusal.ts'

/** Reads the query strictly: a parameter that is unknown, given twice, empty or of another type is refused. */
export function queryOf(schema: TObject, request: FastifyRequest): ReadQuery['values'] {
  const { values, faults } = readQuery(schema, request.url)
  if (faults.length > 0) throw invalidFields(faults, 'invalid-fields')
  return values
}

export const refusedQuery = (example: Fault) =>
  refused(
    'The query is not what is expected here; `error.list` names every fault.',
    invalidFields([example], 'invalid-fields'),
  )
