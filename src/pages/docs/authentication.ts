import type { OpenApi } from '../../http/openapi/openapi-document.ts'
import { type Html, html } from '../../lib/html.ts'
import { codeBlock, folded, prose } from './html.ts'
import { firstSchemeScript, secondSchemeScript, signedText } from './signing.ts'
import { table } from './table.ts'

/** Keys, signatures and local calls. */
export function authenticationSection({ components }: OpenApi): Html {
  return html`<section aria-labelledby="authentication">
<h2 id="authentication"><a href="#authentication">Authentication</a></h2>
<p>Most management calls need a key, which says who calls, and a signature, which shows that the body is the caller’s.
A missing, a wrong and an expired key and a wrong signature are all answered alike: <code>401</code>.
If an allow list of addresses is set, other addresses are answered <code>403</code> before anything else.</p>

<h3 id="key"><a href="#key">The key</a></h3>
<p>Sent in the header <code>X-API-Key</code> and nowhere else. <code>bin/tenants api:key:create --name ci</code> makes
one and shows it once; <code>--expires</code> gives it an end.</p>

<h3 id="signature"><a href="#signature">The signature</a></h3>
<p>Sent in the header <code>X-Signature</code>: the HMAC-SHA256 of the raw bytes of the body, written as 64 hex digits
in either case. Sign exactly what is sent, before it is parsed or formatted again. A call without a body signs the empty
string; the header is still needed.</p>
<p>The secret is what <code>SERVICE_TENANTS_API_REQUEST_SECRET</code> is set to. When it is not set, the service made
one at its first start; <code>bin/tenants secret:show</code> shows it.</p>
<p>This script signs a body and creates a tenant. Fill in the first three lines.</p>
${codeBlock(firstSchemeScript.trimEnd())}

<h3 id="signature-2"><a href="#signature-2">The signature against replay</a></h3>
<p>The first signature covers neither the address nor the time: a captured call can be sent again. The second
one covers both, and each caller may choose it. It needs three more headers, and <code>X-Signature</code> is the
HMAC-SHA256 of these six lines, with one line feed between them and none at the end:</p>
${codeBlock(signedText)}
<p>The path and query stand as they do in the request, percent-encoding and all; the digest is that of the body’s bytes,
in lower case, and that of the empty string when there is none. <code>SERVICE_TENANTS_API_REQUIRE_V2=1</code> makes
the service refuse the first signature.</p>
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
<p>Uploads carry another key: that of a user of the site (<code>trc_…</code>, shown once when it is made), or the
<code>public_key</code> of the site for guests. It is sent in the header <code>X-API-Key</code>, or as the parameter
<code>key</code> of the form or the query. No signature is needed.</p>

<h3 id="local"><a href="#local">On the machine itself</a></h3>
<p>Some calls are for programs beside the service. They are answered when the connection comes from the loopback
address, carries no header of a proxy (such as <code>X-Forwarded-For</code>) and names a local host such as
<code>localhost</code>; otherwise <code>403</code>. If <code>SERVICE_INTERNAL_PORT</code> is set, they are answered on
that port alone.</p>
</section>`
}
