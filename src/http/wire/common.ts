import { Type } from 'typebox'
import { emailForm, scopes } from '../../accounts/index.ts'
import { broken } from '../../lib/faults.ts'
import { Id, Text } from '../fields.ts'

export { readTime } from '../fields.ts'

export const Closed = { additionalProperties: false }
export const Timestamp = (description: string) =>
  Type.String({ description: `${description}. RFC 3339, UTC` })
export const orNull = <T extends Parameters<typeof Type.Union>[0][number]>(schema: T, description: string) =>
  Type.Union([schema, Type.Null()], { description })

export const EmailText = (description: string) =>
  Text({
    most: 254,
    description,
    pattern: emailForm,
    rule: broken('email'),
    examples: ['ada@example.com', 'bob.b+1@mail.example.org'],
  })

/** A password that a person chooses. */
export const ChosenPassword = Type.String({
  minLength: 8,
  maxLength: 128,
  description:
    'A new password, 8 to 128 characters. In any case it must not be one of the 10,000 most common passwords, the user name, the ' +
    'e-mail address or its first part, or the hostname of the site.',
})

export const writeTime = (at: Date | undefined) => at?.toISOString() ?? null

/** A page of a list. */
export const PageOf = <T extends Parameters<typeof Type.Array>[0]>(entry: T) =>
  Type.Object({
    data: Type.Array(entry, { description: 'The entries of this page' }),
    next_cursor: orNull(Type.String(), 'For the next page; null at the end'),
  })

/** A page of a list that can be counted. */
export const CountedPageOf = <T extends Parameters<typeof Type.Array>[0]>(entry: T) =>
  Type.Object({
    ...PageOf(entry).properties,
    total: Type.Optional(
      Type.Object(
        {
          value: Type.Integer({ description: 'The number of entries, at most 10000' }),
          is_exact: Type.Boolean({ description: 'False if there are more' }),
        },
        { description: 'With `count=true`' },
      ),
    ),
  })

export const writeTotal = (counted: number, most: number) => ({
  total: { value: Math.min(counted, most), is_exact: counted <= most },
})

export const writePage = (data: readonly unknown[], next: string | undefined) => ({
  data,
  next_cursor: next ?? null,
})

export const ofId = Type.Object({ id: Id('The id') })

export const scopeText = `One of ${scopes.map((scope) => `\`${scope}\``).join(', ')}`
