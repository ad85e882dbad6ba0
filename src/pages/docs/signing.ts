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
