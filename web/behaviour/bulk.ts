export interface BulkCall {
  action: string
  ids: readonly (string | { id: string; version: number })[]
  set?: Readonly<Record<string, unknown>>
}

export interface BulkOutcome {
  id: string
  status: number
  code: string
  /** Null if the file was not changed, or removed for good. */
  version: number | null
}

const mostTries = 5

/** The server has refused the whole call, and says why in the words of the reader. */
export class Refused extends Error {
  /** What is wrong with single values, each by its pointer, such as `#/set/add_tags/0`. */
  readonly faults: readonly { pointer?: string; detail: string }[]

  constructor({ detail, errors = [] }: { detail: string; errors?: Refused['faults'] }) {
    super(detail)
    this.faults = errors
  }
}

/** Changes a batch of files. If the rate is used up it waits as long as the server says. */
export async function callBulk(call: BulkCall): Promise<readonly BulkOutcome[]> {
  for (let tries = 1; ; tries += 1) {
    const response = await fetch('/api/5/files/bulk', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-terrace-page': '1' },
      body: JSON.stringify(call),
    })
    const body = await response.json()
    if (response.ok) return body.results
    if (response.status !== 429 || tries === mostTries) throw new Refused(body)
    const seconds = Number(response.headers.get('retry-after')) || 1
    await new Promise((resolve) => setTimeout(resolve, seconds * 1_000))
  }
}

/** Creates an album of one's own. */
export async function createAlbum(title: string): Promise<{ id: string; title: string }> {
  const response = await fetch('/api/5/albums', {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-terrace-page': '1' },
    body: JSON.stringify({ title }),
  })
  const body = await response.json()
  if (!response.ok) throw new Refused(body)
  return body
}
