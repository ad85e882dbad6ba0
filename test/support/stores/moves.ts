import assert from 'node:assert/strict'
import type { TestApp } from '../harness.ts'
import { runHere } from '../tool.ts'
import type { TestTenant } from '../uploads.ts'

/** Sets where a tenant's rows and files are to be, and moves them by the tool. Returns what the tool printed. */
export async function moveTenant(app: TestApp, tenant: TestTenant, values: Record<string, string>) {
  const patched = await app.call('PATCH', `tenants/${tenant.id}`, { env: values })
  assert.equal(patched.status, 204, patched.text)
  const { code, out, err } = await runHere(['tenants', 'move', '--id', tenant.id, '--json'], app.environment)
  assert.equal(code, 0, err)
  return JSON.parse(out)
}
