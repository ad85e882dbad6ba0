import type { IncomingMessage, ServerResponse } from 'node:http'

/** Answers requests before the framework. Returns true if it has answered this one. */
export type FastPath = (request: IncomingMessage, response: ServerResponse) => boolean
