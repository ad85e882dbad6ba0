interface Asked {
  challenge: string
  options: unknown
}

/** Challenges last five minutes; one that waits in a list of suggestions is renewed before. */
const renewMs = 240_000

/** Shows the forms that a passkey fills, where the browser reads and writes its JSON itself (Baseline March 2025). */
export function startPasskeys(): void {
  if (typeof window.PublicKeyCredential?.parseRequestOptionsFromJSON !== 'function') return
  for (const form of document.querySelectorAll<HTMLFormElement>('form[data-passkey]')) {
    form.hidden = false
    form.addEventListener('submit', (event) => {
      event.preventDefault()
      waiting?.abort()
      void answer(form, form.dataset.passkey === 'creation' ? create : request)
    })
    if (form.dataset.passkey === 'conditional') void suggest(form)
  }
}

const proofNeeded = new Error('The proof of the password is too old.')

let waiting: AbortController | undefined

async function answer(
  form: HTMLFormElement,
  take: (form: HTMLFormElement) => Promise<[string, Credential | null]>,
): Promise<void> {
  const fault = form.querySelector<HTMLElement>('[role=alert]')
  if (fault) fault.hidden = true
  try {
    send(form, ...(await take(form)))
  } catch (error) {
    // The server asks for the password first, and comes back with what was typed.
    if (error === proofNeeded) return form.submit()
    // Cancelled by the person, or no passkey of this site is at hand.
    if (fault) fault.hidden = false
  }
}

async function create(form: HTMLFormElement): Promise<[string, Credential | null]> {
  const { challenge, options } = await ask(form, 'creation')
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(
    options as PublicKeyCredentialCreationOptionsJSON,
  )
  return [challenge, await navigator.credentials.create({ publicKey })]
}

async function request(form: HTMLFormElement): Promise<[string, Credential | null]> {
  const { challenge, options } = await ask(form, 'request')
  return [challenge, await navigator.credentials.get({ publicKey: requestOf(options) })]
}

const requestOf = (options: unknown) =>
  PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON)

/** Passkeys among the suggestions of the field for the name, where the browser has that. */
async function suggest(form: HTMLFormElement): Promise<void> {
  if (!(await PublicKeyCredential.isConditionalMediationAvailable?.())) return
  for (;;) {
    const { challenge, options } = await ask(form, 'request')
    const own = new AbortController()
    waiting = own
    const timer = setTimeout(() => own.abort('renew'), renewMs)
    try {
      const publicKey = requestOf(options)
      const credential = await navigator.credentials.get({
        publicKey,
        mediation: 'conditional',
        signal: own.signal,
      })
      return send(form, challenge, credential)
    } catch {
      if (own.signal.reason !== 'renew') return
    } finally {
      clearTimeout(timer)
    }
  }
}

async function ask(form: HTMLFormElement, what: 'request' | 'creation'): Promise<Asked> {
  const csrf = fieldOf(form, 'csrf')?.value ?? ''
  const response = await fetch(`${form.dataset.from ?? '/-/passkeys'}/${what}`, {
    method: 'POST',
    headers: { 'x-terrace-page': '1' },
    body: new URLSearchParams({ csrf }),
  })
  if (response.status === 403) throw proofNeeded
  if (!response.ok) throw new Error(`${response.status}`)
  return response.json() as Promise<Asked>
}

function send(form: HTMLFormElement, challenge: string, credential: Credential | null): void {
  if (!(credential instanceof PublicKeyCredential)) throw new Error('no passkey')
  const stay = document.querySelector<HTMLInputElement>('input[type=checkbox][name=stay]')
  set(form, 'stay', stay?.checked ? '1' : '0')
  set(form, 'challenge', challenge)
  set(form, 'response', JSON.stringify(credential.toJSON()))
  // Without the event, which would ask for a passkey again.
  form.submit()
}

const fieldOf = (form: HTMLFormElement, name: string) =>
  form.querySelector<HTMLInputElement>(`input[name=${name}]`)

function set(form: HTMLFormElement, name: string, value: string): void {
  const field = fieldOf(form, name)
  if (field) field.value = value
}
