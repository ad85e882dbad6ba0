import { isMediaPath, pathOf } from '../../http/requests/paths.ts'
import { type ErrorBody, shownFaults } from '../../http/responses/errors.ts'
import { type ProblemCode, problemCodeOf } from '../../http/responses/problem-codes.ts'
import type { ErrorForm } from '../../http/send-error.ts'
import { type BrokenRule, detailOf, type Fault } from '../../lib/faults.ts'
import { Refusal } from '../../lib/refusal.ts'

/** RFC 9457, with the envelope of all JSON errors beside it. */
export interface Problem extends ErrorBody {
  type: string
  title: string
  status: number
  detail: string
  instance: string
  code: ProblemCode
  errors?: readonly PointedFault[]
}

/** A fault of the body by JSON pointer (RFC 6901), or of a parameter or header by name. */
type PointedFault = { detail: string } & ({ pointer: string } | { parameter: string } | { header: string })

interface ProblemSource {
  /** Undefined for a bug, and for a request that the framework refused. */
  refusal: Refusal | undefined
  status: number
  body: ErrorBody
  requestId: string | undefined
  faultText?: ((rule: BrokenRule) => string) | undefined
}

export function problemOf({ refusal, status, body, requestId = '', faultText }: ProblemSource): Problem {
  const code = problemCodeOf(refusal?.code, status)
  const errors = status === 400 && refusal ? shownFaults(pointedFaults(refusal, faultText)) : []
  return {
    type: `/_/docs#${code}`,
    title: body.status_txt,
    status,
    detail: body.error.message,
    instance: requestId,
    code,
    ...(errors.length > 0 && { errors }),
    ...body,
  }
}

/** The faults of a refusal, or what it says of the request as a whole. */
function pointedFaults({ faults, list }: Refusal, textOf = detailOf): readonly PointedFault[] {
  return faults.length > 0
    ? faults.map((fault) => pointedFault(fault, textOf(fault)))
    : list.map((detail) => ({ pointer: '#', detail }))
}

function pointedFault(fault: Fault, detail: string): PointedFault {
  if (fault.in === 'query') return { parameter: fault.field, detail }
  if (fault.in === 'header') return { header: fault.field, detail }
  return { pointer: pointerOf(fault.field), detail }
}

const pointerOf = (field: string) =>
  field === '' ? '#' : `#/${field.replaceAll('~', '~0').replaceAll('/', '~1').replaceAll('.', '/')}`

/** Errors of the site's own API. */
export const problemForm: ErrorForm = {
  fits: ({ url }) => isMediaPath(pathOf(url)),
  write: (_app, { requestId }, reply, { error, response, faultText }) => {
    const { status, body } = response
    reply.header('content-type', 'application/problem+json; charset=utf-8')
    if (status === 401) reply.header('www-authenticate', 'Bearer')
    const refusal = error instanceof Refusal ? error : undefined
    return JSON.stringify(problemOf({ refusal, status, body, requestId, faultText }))
  },
}

/** What the server refuses of the options in the address of a file. A browser that asks for a page gets one. */
export const transformProblemForm: ErrorForm = {
  ...problemForm,
  fits: ({ url }, error) =>
    pathOf(url).startsWith('/images/') &&
    error instanceof Refusal &&
    (error.code === 'transform-not-allowed' || error.faults.some((fault) => fault.in === 'query')),
}
