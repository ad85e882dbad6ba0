import type { Right } from '../../accounts/index.ts'
import type { Access, MediaAccess, SiteAccess } from '../endpoint.ts'

/** Who may call, as programs read it: rights are named by the roles that have them. */
export type DescribedAccess = Access | SiteAccess | Exclude<MediaAccess, Right> | 'staff' | 'administrator'

/** The keywords of JSON Schema that our descriptions use. */
export interface Schema {
  $ref?: string
  type?: string
  description?: string
  default?: unknown
  properties?: Readonly<Record<string, Schema>>
  required?: readonly string[]
  minProperties?: number
  /** A map: one pattern that every name matches. */
  patternProperties?: Readonly<Record<string, Schema>>
  items?: Schema
  anyOf?: readonly Schema[]
  enum?: readonly unknown[]
  format?: string
  pattern?: string
  minLength?: number
  maxLength?: number
  minimum?: number
  maximum?: number
  examples?: readonly unknown[]
}

export interface Reference {
  $ref: string
}

export interface Parameter {
  name: string
  in: 'path' | 'query' | 'header'
  required: boolean
  description: string
  schema: Schema
}

export interface MediaType {
  schema?: Schema
  example?: unknown
}

export type Content = Readonly<Record<string, MediaType>>

export interface Header {
  description: string
  schema: Schema
}

export interface Response {
  description: string
  headers?: Readonly<Record<string, Header | Reference>>
  content?: Content
}

export interface Operation {
  operationId: string
  tags: readonly string[]
  summary: string
  description?: string
  parameters?: readonly (Parameter | Reference)[]
  requestBody?: { required: boolean; content: Content }
  responses: Readonly<Record<string, Response>>
  security: readonly Readonly<Record<string, readonly string[]>>[]
  /** OpenAPI has no word for most of these rules. */
  'x-access': DescribedAccess
}

export type SecurityScheme = { description: string } & (
  | { type: 'apiKey'; in: 'header' | 'query' | 'cookie'; name: string }
  | { type: 'http'; scheme: 'bearer' }
)

/** A document of OpenAPI 3.1, as far as we write it. */
export interface OpenApi {
  openapi: string
  info: { title: string; version: string; description: string }
  /** Only in a document that is sent: the origin that was asked for it. */
  servers?: readonly { url: string }[]
  tags: readonly { name: string; description: string }[]
  paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  components: {
    schemas: Readonly<Record<string, Schema>>
    parameters: Readonly<Record<string, Parameter>>
    headers?: Readonly<Record<string, Header>>
    securitySchemes: Readonly<Record<string, SecurityScheme>>
  }
}
