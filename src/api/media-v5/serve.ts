import type { FastifyReply, FastifyRequest } from 'fastify'
import { type Caller, checkSender, lacksSecondStep, secondStepNeeded } from '../../accounts/index.ts'
import type { App } from '../../app.ts'
import { memberOf, onBehalfOf, recordUseSoon, senderOf } from '../../http/requests/caller-records.ts'
import { pathOf } from '../../http/requests/paths.ts'
import { type RatePolicy, ratedCaller, takeRate } from '../../http/requests/rates.ts'
import { methodNotAllowed, orCannotRead, routeNotFound } from '../../http/responses/errors.ts'
import { sendLines } from '../../http/responses/send-lines.ts'
import type { SiteHandler } from '../../http/site-route.ts'
import type { Site } from '../../site/index.ts'
import type { MediaAnswer, MediaEndpoint } from './media-endpoint.ts'
import { allowOrigin, checkAccess, findCaller } from './rules/caller.ts'
import { checkProof } from './rules/proof.ts'
import { inputReader } from './rules/read-input.ts'
import { tusOptionsOf } from './uploads/tus-options.ts'

interface MediaServer {
  /** The handler of an endpoint: caller, rate, access, input, answer. */
  serve(endpoint: MediaEndpoint): SiteHandler
  /** The handler of all other addresses and methods below `/api/5/`. */
  refuse(methodsOf: (path: string) => readonly string[]): SiteHandler
}

/** What the endpoints of one server share. */
export function mediaServer(app: App): MediaServer {
  /** Sends the state of the rate with every answer, refusals included. */
  async function checkRate(
    site: Site,
    policy: RatePolicy,
    {
      request,
      reply,
      caller,
      isFree,
    }: { request: FastifyRequest; reply: FastifyReply; caller?: Caller; isFree?: boolean | undefined },
  ): Promise<void> {
    const { address } = request.client
    const rated = caller ? ratedCaller(caller, address) : { address }
    const { headers, refusal } = await takeRate(app, site, policy, { ...rated, isFree })
    reply.headers(headers)
    if (refusal) throw refusal
  }

  return {
    serve(endpoint) {
      const readInput = inputReader(endpoint)
      return async (site, request, reply) => {
        const { rate = policyOf(request.method) } = endpoint
        const policy = typeof rate === 'function' ? rate(request.url) : rate
        const caller = await findCaller(app, site, request).catch(async (refusal: unknown) => {
          // A wrong key counts for the address, or guessing keys would be free.
          await checkRate(site, policy, { request, reply })
          throw refusal
        })
        request.member = memberOf(caller)
        await checkRate(site, policy, { request, reply, caller, isFree: endpoint.isRateFree })
        allowOrigin(reply, request, caller)
        if (caller.kind === 'user') checkSender(caller.limits, senderOf(request))
        if (
          caller.kind === 'user' &&
          !endpoint.needsNoSecondStep &&
          (await orCannotRead(lacksSecondStep(site, caller)))
        )
          throw secondStepNeeded()
        recordUseSoon(app, request, caller)
        checkAccess(endpoint.access, caller)
        const input = await readInput(request, caller)
        const params = request.params as Record<string, string>
        const authored = onBehalfOf(site, request, caller)
        const call = { app, site: authored, caller, request, reply, params, ...input }
        await checkProof(endpoint, call)
        return send(request, reply, await endpoint.handle(call))
      }
    },
    refuse(methodsOf) {
      return async (site, request, reply) => {
        await checkRate(site, policyOf(request.method), { request, reply })
        const methods = methodsOf(pathOf(request.url))
        if (methods.length > 0) reply.header('allow', methods.join(', '))
        // A preflight is always answered: else the page could not read why its call is refused.
        if (request.method === 'OPTIONS')
          return reply
            .code(204)
            .headers(await tusOptionsOf(app, site, request))
            .send()
        throw methods.length > 0 ? methodNotAllowed(methods) : routeNotFound()
      }
    },
  }
}

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

const policyOf = (method: string): RatePolicy => (safeMethods.has(method) ? 'reads' : 'writes')

function send(
  request: FastifyRequest,
  reply: FastifyReply,
  { status, body, headers = {}, lines }: MediaAnswer,
): FastifyReply | Promise<FastifyReply> {
  reply.code(status).headers(headers)
  if (lines) return sendLines(request, reply, lines)
  if (body === undefined) return reply.send()
  return reply.header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(body))
}
