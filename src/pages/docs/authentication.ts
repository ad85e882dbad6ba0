import type { OpenApi } from '../../http/openapi/openapi-document.ts'
import { type Html, html } from '../../lib/html.ts'
import { codeBlock, folded, prose, table } from './html.ts'

/** Keys, signatures and local calls. */
export function authenticationSection({ components }: OpenApi): Html {
  return html`<section aria-labelledby="authentication">
<h2 id="authentication"><a href="#authentication">Authentication</a></h2>
<p>Most management calls need a key, which identifies the caller, and a signature, which proves that the body comes from
the caller. A missing, wrong or expired key and a wrong signature all get the same answer: <code>401</code>.
If an allow list of addresses is set, other addresses get <code>403</code> before anything else.</p>

<h3 id="key"><a href="#key">The key</a></h3>
<p>Send it only in the header <code>X-API-Key</code>. <code>bin/tenants api:key:create --name ci</code> creates a key
and shows it once; with <code>--expires</code> it expires.</p>

<h3 id="signature"><a href="#signature">The signature</a></h3>
<p>Send it in the header <code>X-Signature</code>: the HMAC-SHA256 of the raw bytes of the body, as 64 hex digits
in either case. Sign exactly the bytes that you send. If a call has no body, sign the empty string; the header is still
required.</p>
<p>The secret is the value of <code>SERVICE_TENANTS_API_REQUEST_SECRET</code>. If it is not set, the service generated
one at its first start; <code>bin/tenants secret:show</code> shows it.</p>
<p>This script signs a body and creates a tenant. Fill in the first three lines.</p>
${codeBlock(firstSchemeScript.trimEnd())}

<h3 id="signature-2"><a href="#signature-2">The signature against replay</a></h3>
<p>The first signature covers neither the address nor the time, so a captured call can be replayed. The second
one covers both; each caller can choose it. It needs three more headers, and <code>X-Signature</code> is the
HMAC-SHA256 of these six lines, joined by line feeds, with none at the end:</p>
${codeBlock(signedText)}
<p>Use the path and query exactly as in the request, including percent-encoding. The digest is that of the body’s bytes,
in lower case, or that of the empty string if there is no body. With <code>SERVICE_TENANTS_API_REQUIRE_V2=1</code>
the service refuses the first signature.</p>
${table(
  'Headers of the signature against replay',
  ['Header', 'Content'],
  Object.values(components.parameters).map(({ name, description }) => [
    html`<code>${name}</code>`,
    prose(description),
  ]),
)}
${folded('Script that signs this way and changes a tenant', codeBlock(secondSchemeScript.trimEnd()))}

<h3 id="upload-key"><a href="#upload-key">The upload key</a></h3>
<p>Uploads need another key: that of a user of the site (<code>trc_…</code>, shown once when it is created), or the
<code>public_key</code> of the site for guests. Send it in the header <code>X-API-Key</code>, or as the parameter
<code>key</code> of the form or the query. No signature is needed.</p>

<h3 id="local"><a href="#local">On the machine itself</a></h3>
<p>Some calls are for programs on the same machine. They are answered if the connection comes from the loopback
address, has no header of a proxy (such as <code>X-Forwarded-For</code>) and names a local host such as
<code>localhost</code>; otherwise <code>403</code>. If <code>SERVICE_INTERNAL_PORT</code> is set, they are answered only
on that port.</p>
</section>`
}

/** The text that the second scheme signs. */
export const signedText = `v2
<timestamp>
<nonce>
<METHOD>
<path and query>
<sha256 hex of body>`

const settings = `url='http://localhost:8080'
key='trc_…'       # bin/tenants api:key:create
secret='…'        # bin/tenants secret:show
`

/** Scripts to copy; a test runs them. */
export const firstSchemeScript = `${settings}
body='{"id":"cats","hostname":"cats.example.com","is_enabled":true}'
signature=$(printf '%s' "$body" | openssl dgst -sha256 -hmac "$secret" -r | cut -d ' ' -f 1)

curl --include "$url/_/api/4/tenants" \\
  --header "X-API-Key: $key" \\
  --header "X-Signature: $signature" \\
  --header 'Content-Type: application/json' \\
  --data-binary "$body"
`

export const secondSchemeScript = `${settings}
method='PATCH'
target='/_/api/4/tenants/cats'
body='{"is_enabled":false}'
timestamp=$(date +%s)
nonce=$(openssl rand -hex 16)
digest=$(printf '%s' "$body" | openssl dgst -sha256 -r | cut -d ' ' -f 1)
signature=$(printf 'v2\\n%s\\n%s\\n%s\\n%s\\n%s' "$timestamp" "$nonce" "$method" "$target" "$digest" |
  openssl dgst -sha256 -hmac "$secret" -r | cut -d ' ' -f 1)

curl --include --request "$method" "$url$target" \\
  --header "X-API-Key: $key" \\
  --header 'X-Signature-Version: 2' \\
  --header "X-Timestamp: $timestamp" \\
  --header "X-Nonce: $nonce" \\
  --header "X-Signature: $signature" \\
  --header 'Content-Type: application/json' \\
  --data-binary "$body"
`
